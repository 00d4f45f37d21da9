// The certificate aggregator's shell: decodes, checks signatures, stores and sends. No decisions.
#pragma once

#include <map>
#include <optional>

#include "actors/certificate_aggregator/certificate_aggregator.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/outbox.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::certificate_aggregator {

/// The aggregator's series (docs/metrics.md).
struct counters {
  explicit counters(runtime::metrics& into);

  runtime::reject_counters rejected;
  prometheus::Counter &certified, &complete, &requested, &ranges_requested, &served,
      &headers_resent;
  prometheus::Gauge &round, &highest_seen, &incomplete, &missing;
};

struct state {
  static inline const char* name = "certificate_aggregator";

  runtime::environment_ptr env;
  std::optional<core> logic;
  std::optional<runtime::outbox> out;
  std::optional<counters> counted;
  runtime::timer timer;
  std::vector<certified_sink> sinks;
  std::map<validator_id, peer_link> links;
};

/// After a checkpoint was fetched: the log begins above `floor` for it.
void install(storage::write_batch&, round_number floor);

/// Rebuilds the aggregator from the table `certificates`. If the store cannot be read, says so to
/// the environment and ends.
aggregator_actor::behavior_type shell(aggregator_actor::stateful_pointer<state> self,
                                      runtime::environment_ptr env);

}  // namespace flamingo::certificate_aggregator
