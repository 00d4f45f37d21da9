// Batches of other validators, as they come to the worker of a harness.
#pragma once

#include "tests/unit/worker_harness.hpp"

namespace flamingo::tests {

/// A batch as validator `author` would seal and send it.
struct foreign_batch {
  checked_batch batch;
  wire<schema::WorkerMessage> frame() const { return wire<schema::WorkerMessage>(batch.frame); }
};

inline foreign_batch seal_at(std::uint16_t author, std::initializer_list<std::uint64_t> sequences,
                             std::uint64_t number = 1, std::size_t transactions = 3) {
  worker_harness w(author);
  std::vector<checked_bundle> bundles;
  for (const auto sequence : sequences) {
    auto result = w.checks.check(w.bundle(author, sequence, transactions).parts());
    bundles.push_back(*std::get<verified<checked_bundle>>(result));
  }
  return {w.checks.seal(validator_id{author}, worker_id{0}, batch_sequence{number}, bundles)};
}

inline worker::effects receive_and_check(worker_harness& w, std::uint16_t from,
                                         const foreign_batch& x) {
  auto fx = w.receive(from, x.frame());
  append(fx, w.work());
  return fx;
}

inline std::vector<wanted_batch> wanted(const checked_batch& x, std::vector<validator_id> signers) {
  return {{x.id, x.author, worker_id{0}, std::move(signers)}};
}

inline execution_progress progress_of(std::uint16_t executor, std::uint64_t index,
                                      std::uint64_t snapshot) {
  execution_progress x;
  x.executor = executor_id{executor};
  x.index = commit_index{index};
  x.snapshot = commit_index{snapshot};
  return x;
}

/// The primary answers a withdrawal that it voted for nothing, the committer that it sequenced
/// nothing, and the log goes on.
inline void release(worker_harness& w, const worker::effects& x) {
  for (const bool by_committer : {false, true})
    w.step(worker::withdrawal_answered{
        {x.withdrawal.value().number, round_number{}, {}, by_committer}});
  sequenced_sub_dag later;
  later.index = w.core.newest_commit() + 1;
  later.anchor_round = w.core.anchor_round() + w.protocol.gc_depth;
  w.step(worker::sub_dag_sequenced{std::move(later)});
}

}  // namespace flamingo::tests
