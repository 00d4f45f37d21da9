// The CAF shell of the executor group: spawns executors here or on hosts, watches them, introduces
// them, and performs what the core decides. Lives where the validator's snapshots are stored.
#pragma once

#include <caf/typed_response_promise.hpp>

#include <map>
#include <set>

#include "actors/executor/executor_group.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::executor_group {

/// The series of the group (docs/metrics.md).
struct metrics {
  prometheus::Gauge &executors, &hosts;
  prometheus::Counter& roll_backs;

  explicit metrics(runtime::metrics&);
};

struct state {
  static inline const char* name = "executor_group";

  runtime::environment_ptr env;
  std::optional<core> logic;
  std::optional<metrics> counted;
  std::uint64_t life = 0;
  snapshot_keeper keeper;                       // of this life
  std::map<executor_id, executor_actor> alive;  // of this life
  std::set<executor_id> known;                  // those of them that were introduced
  std::map<caf::actor_addr, std::pair<executor_id, std::uint64_t>> births;  // with their life
  std::map<host_address, executor_host> hosts;  // those that are there; this process too
  group_keeper committer;
  std::map<worker_id, executors_worker> workers;
  std::vector<executors_sink> others;  // who else is to know the executors
  std::map<std::uint64_t, caf::typed_response_promise<operator_frame>> asked;  // by ticket
  std::uint64_t tickets = 0;
  std::size_t unaware = 0;  // executors that do not know all others yet
  std::uint64_t introductions = 0;
  runtime::timer wait;

  ~state();  // the keeper ends, and so all executors do
};

/// @param here spawns executors in this process.
executor_group_actor::behavior_type shell(executor_group_actor::stateful_pointer<state> self,
                                          runtime::environment_ptr env, executor_host here);

}  // namespace flamingo::executor_group
