// The CAF shell of the checkpointer: it hashes, signs and checks, keeps the newest ledgers in the
// store (table `meta`), and answers validators that come back.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/checkpointer/checkpointer.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/outbox.hpp"

namespace flamingo::checkpointer {

struct counters {
  explicit counters(runtime::metrics&);

  runtime::reject_counters rejected;
  prometheus::Gauge &proven, &diverged;
  prometheus::Counter& served_bytes;
};

struct state {
  static inline const char* name = "checkpointer";

  runtime::environment_ptr env;
  std::optional<core> logic;  // empty if the store could not be read
  std::optional<runtime::outbox> out;
  std::optional<counters> counted;

  std::vector<record_sink> primaries;
  std::vector<divergence_sink> committers;
  std::map<worker_id, divergence_sink> workers;
  state_source states;

  certified_frame newest;  // of the highest round that is complete here
  round_number newest_round;
};

checkpointer_actor::behavior_type shell(checkpointer_actor::stateful_pointer<state> self,
                                        runtime::environment_ptr env);

}  // namespace flamingo::checkpointer
