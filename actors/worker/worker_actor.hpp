// The CAF shell of the dissemination worker: decode, step, perform; it hashes, checks signatures,
// builds batches and payload, and signs receipts. Owns the table `batches`.
#pragma once

#include <caf/typed_response_promise.hpp>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/outbox.hpp"
#include "actors/runtime/timer.hpp"
#include "actors/worker/worker.hpp"
#include "actors/worker/worker_metrics.hpp"
#include "actors/worker/worker_store_actor.hpp"
#include "messages/batch_checks.hpp"

namespace flamingo::worker {

/// An executor waits until the outcomes up to this sub-DAG are durable.
struct outcomes_question {
  commit_index index;
  caf::typed_response_promise<commit_index> answer;
};

struct state {
  static inline const char* name = "worker";

  runtime::environment_ptr env;
  worker_id worker;
  std::optional<core> logic;  // empty if the store could not be read
  std::optional<batch_checks> checks;
  std::optional<batch_store> store;
  std::optional<runtime::outbox> out;
  std::optional<metrics> counted;

  availability_sink primary;
  bool is_started = false;
  index_sink committer;
  std::map<executor_id, stream_sink> executors;
  std::map<std::uint64_t, outcomes_question> asked;  // by ticket
  std::uint64_t tickets = 0;
  std::map<validator_id, worker_link> peers;
  /// A client may hold several links (a load and a command): all of them get its answers.
  std::map<client_id, std::deque<client_link>> clients;

  runtime::timer ticks;
  bool working = false;  // a `work` message to ourselves is on its way
};

/// Rebuilds itself from the store at once; announces what it found on atom::start.
worker_actor::behavior_type shell(worker_actor::stateful_pointer<state> self,
                                  runtime::environment_ptr env, worker_id worker);

}  // namespace flamingo::worker
