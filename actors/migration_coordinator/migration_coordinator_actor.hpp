// The CAF shell of the migration coordinator: decode, step, perform.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/migration_coordinator/migration_coordinator.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"

namespace flamingo::migration_coordinator {

struct state {
  static inline const char* name = "migration_coordinator";

  runtime::environment_ptr env;
  std::optional<core> logic;
  std::vector<record_sink> primaries;
  std::map<worker_id, assignment_sink> workers;
  bool is_started = false;

  prometheus::Gauge* version = nullptr;
  std::array<prometheus::Counter*, std::variant_size_v<control_record>> records{};  // by kind
  prometheus::Counter* repeated = nullptr;
  std::optional<runtime::reject_counters> rejected;
};

coordinator_actor::behavior_type shell(coordinator_actor::stateful_pointer<state> self,
                                       runtime::environment_ptr env);

}  // namespace flamingo::migration_coordinator
