// The CAF shell of the committer: decode, step, perform; it hashes the chain of sub-DAGs and
// combines the coin. Owns the tables `commits` and `state`.
#pragma once

#include <caf/typed_response_promise.hpp>

#include <deque>
#include <map>
#include <optional>

#include "actors/committer/committer.hpp"
#include "actors/committer/committer_metrics.hpp"
#include "actors/committer/recent_total.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/outbox.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::committer {

struct state {
  static inline const char* name = "committer";

  runtime::environment_ptr env;
  std::optional<core> logic;  // empty if the store could not be read
  std::optional<runtime::outbox> out;
  std::optional<metrics> counted;

  std::map<worker_id, sequenced_sink> workers;
  std::map<executor_id, stream_sink> executors;
  std::vector<committed_sink> committed;
  std::vector<signals_sink> monitors;
  std::vector<control_sink> coordinators;
  std::vector<checkpoint_sink> checkpointers;

  digest chain;          // at the newest commit
  bundle_totals totals;  // at the newest commit
  recent_total transactions;
  /// Newest commits, so that the live stream needs no store: at most stream_window of them.
  std::deque<std::pair<commit_index, sequenced_frame>> recent;
  commit_index root_handed_on;  // of the executors' newest state root
  /// Who wants the group to have so many executors: answered when that is durable.
  std::vector<std::pair<std::uint16_t, caf::typed_response_promise<group_log>>> group_asked;
  runtime::timer timer;
};

/// Rebuilds itself from the store at once; announces what it found on atom::start.
committer_actor::behavior_type shell(committer_actor::stateful_pointer<state> self,
                                     runtime::environment_ptr env);

}  // namespace flamingo::committer
