// A validator: spawns its roles, introduces them to each other, and opens its doors. No logic.
#pragma once

#include <vector>

#include "actors/interfaces.hpp"
#include "actors/link/doorway.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/validator/colleagues_actor.hpp"

namespace flamingo::validator {

/// Which roles a process runs. The aggregator, committer, load monitor, migration coordinator and
/// operator desk live with the primary.
struct role_set {
  bool primary = true, worker = true, executor = true;
};

/// Where the doors listen. They may differ from what the committee file advertises.
struct listen_addresses {
  network_address primary, operators;
  std::vector<worker_info> workers;  // by worker_id

  static listen_addresses advertised(const validator_info& self);
};

class node {
public:
  /// Spawns the roles of `roles`; nothing is sent yet.
  node(caf::actor_system& system, runtime::environment_ptr env, link::doorways doors,
       role_set roles);

  /// Where executors may run besides; before `start`. Over TLS if there is a context.
  void find_executor_hosts(const std::vector<network_address>& at,
                           std::shared_ptr<const link::tls_context> tls);

  /// All roles run here: introduces them, starts them, and opens the doors. Throws
  /// std::runtime_error, with one line that names the address, if a door cannot be opened.
  void start(const listen_addresses& where);

  /// Roles of this validator run in other processes too: answers them at network.listen, finds
  /// them, and does as the other `start` once all are known; introduces again whoever restarts.
  /// Throws as above if network.listen cannot be opened; a door that fails later ends the node
  /// through env->fail.
  void start(const listen_addresses& where, const internal_network& network);

  /// Closes the doors and asks all roles that run here to exit. Does not wait for them.
  void stop();

  const role_handles& roles() const { return here_; }

private:
  /// CAF's middleman, or the one over TLS.
  caf::io::middleman_actor remoting(std::shared_ptr<const link::tls_context> tls);
  void open_doors(const listen_addresses& where);
  void open_primary_doors(const listen_addresses& where);
  void open_worker_doors(const listen_addresses& where);

  caf::actor_system& system_;
  runtime::environment_ptr env_;
  link::doorways doors_;
  role_handles here_;
  executor_host executor_host_;
  directory_actor directory_;  // with `colleagues_`, only if there are other processes
  caf::actor colleagues_;
  std::vector<caf::actor> remote_hosts_;
  caf::io::middleman_actor tls_remoting_;  // only if they talk over TLS
};

}  // namespace flamingo::validator
