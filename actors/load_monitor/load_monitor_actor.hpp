// The CAF shell of the load monitor: decode, step, show.
#pragma once

#include <optional>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/load_monitor/load_monitor.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"

namespace flamingo::load_monitor {

struct state {
  static inline const char* name = "load_monitor";

  struct series {
    prometheus::Gauge *queue_delay, *per_second;
  };

  runtime::environment_ptr env;
  std::optional<core> logic;
  std::vector<series> validators;
  prometheus::Gauge *median_queue_delay = nullptr, *median_per_second = nullptr, *headers = nullptr;
  std::optional<runtime::reject_counters> rejected;
};

/// Fails at once, with ec::bad_configuration, for a balancing rule that this version cannot follow.
load_monitor_actor::behavior_type shell(load_monitor_actor::stateful_pointer<state> self,
                                        runtime::environment_ptr env);

}  // namespace flamingo::load_monitor
