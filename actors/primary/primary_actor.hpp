// The primary's shell: decodes, checks and makes signatures, stores and sends. No decisions.
#pragma once

#include <map>
#include <optional>

#include "actors/interfaces.hpp"
#include "actors/primary/primary.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/outbox.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::primary {

/// The primary's series (docs/metrics.md).
struct counters {
  explicit counters(runtime::metrics& into, const committee& members);

  runtime::reject_counters rejected;
  prometheus::Counter &proposed, &votes, &repeated_votes, &dropped_records;
  prometheus::Gauge &round, &deferred, &waiting_batches;
  prometheus::Histogram& round_seconds;
  std::vector<prometheus::Counter*> equivocations;  // by author
};

struct state {
  static inline const char* name = "primary";

  runtime::environment_ptr env;
  std::optional<core> logic;
  std::optional<runtime::outbox> out;
  std::optional<counters> counted;
  runtime::timer timer;
  header_sink aggregator;
  std::map<validator_id, peer_link> links;
  std::map<worker_id, availability_source> workers;
  std::optional<time_point> last_proposed;
};

/// After a checkpoint was fetched: the log begins above `at.floor` for it.
void install(storage::write_batch&, const progress& at);
/// After the store was lost: neither vote nor propose up to `round`.
void install_bar(storage::write_batch&, round_number round);

/// Rebuilds the primary from the tables `votes` and `headers`. If the store cannot be read, says so
/// to the environment and ends.
primary_actor::behavior_type shell(primary_actor::stateful_pointer<state> self,
                                   runtime::environment_ptr env);

}  // namespace flamingo::primary
