// Executor hosts: processes of a validator that run no role but executors, which the executor group
// spawns there by CAF's remote spawn (design: execution-layer load balancing, "Scale out / in").
#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/io/middleman_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "messages/committee.hpp"

namespace flamingo::validator {

// -- in the process of the executor group

namespace remote_host {

struct state {
  static inline const char* name = "remote_host";
  caf::io::middleman_actor remoting;
  network_address at;
  executor_group_actor group;
  caf::actor_addr there;  // its directory
  executor_host spawner;  // while it is there

  ~state();  // the spawner ends
};

/// Keeps a connection to the host at `at`, and tells the group when it is there and when it is
/// gone. A plain actor: it talks to CAF's middleman actor, or the one for TLS.
caf::behavior shell(caf::stateful_actor<state>* self, caf::io::middleman_actor remoting,
                    network_address at, executor_group_actor group);

/// "10.0.0.5:7000": what the group calls it.
std::string name_of(const network_address& at);

}  // namespace remote_host

// -- in the process of the host

/// What executors that are spawned from elsewhere begin with; empty until the process has it.
class host_context {
public:
  caf::actor_system* system = nullptr;
  runtime::environment_ptr env;

  /// Any thread.
  executor_actor spawn(const executor_birth&, const snapshot_keeper&);
  /// Tells all of them to end, and lets no other begin.
  void end_all();

private:
  std::mutex mutex_;
  bool ending_ = false;
  std::vector<executor_actor> spawned_;  // perhaps ended
};

/// Lets other processes of the validator spawn executors here. Before the actor system begins.
void offer_executors(caf::actor_system_config& to, std::shared_ptr<host_context> with);

/// Answers the other processes at `at`. Throws std::runtime_error with one line that names it.
void publish_directory(caf::actor_system& system, const caf::io::middleman_actor& remoting,
                       const directory_actor& directory, const network_address& at);

}  // namespace flamingo::validator
