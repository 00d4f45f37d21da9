// How a worker's shell keeps batches in the store (table `batches`), and how it finds them again.
//
// Keys: worker, kind, then for each kind
//   data, availability, index: author, sequence, digest. What is sent, announced and told the
//     committer: frames as they are, so that reading them needs no building. An index alone says
//     what bundles a batch holds, so a start reads no batch.
//   committed: commit index, author, sequence, digest -> nothing. Which batches the log has output:
//     filed in its order, so that the oldest are deleted first.
//   window: client -> the sequences that the log has consumed (a hint: the committer has the truth)
//   outcome: client, sequence -> what became of a recent bundle
//   newest: -> commit index, anchor round
#pragma once

#include <optional>

#include "actors/worker/worker.hpp"
#include "messages/codec_worker.hpp"
#include "storage/kv.hpp"

namespace flamingo::worker {

class batch_store {
public:
  batch_store(storage::kv& kv, worker_id worker) : kv_(kv), worker_(worker) {}

  void put(storage::write_batch&, const checked_batch&) const;
  void put_committed(storage::write_batch&, commit_index, const batch_key&) const;
  void erase_committed(storage::write_batch&, commit_index, const batch_key&) const;
  void put_window(storage::write_batch&, client_id, const committer::client_window&) const;
  void put_outcome(storage::write_batch&, client_id, const outcome&) const;
  void erase_outcome(storage::write_batch&, client_id, bundle_sequence) const;
  void put_newest(storage::write_batch&, commit_index, round_number anchor_round) const;
  void erase(storage::write_batch&, const batch_records::deletion&) const;
  /// One that was never filed as committed.
  void erase(storage::write_batch&, const batch_key&) const;

  /// A WorkerMessage, or nothing. @throws storage::error
  std::optional<wire<schema::WorkerMessage>> batch(const batch_key&) const;
  std::optional<wire<schema::BatchIndex>> index(const batch_key&) const;

  /// Gives the core all that is here. @throws storage::error, also for what no worker wrote.
  void restore(core& into, time_point now) const;

private:
  template <class Frame>
  std::optional<Frame> get(byte kind, const batch_key&) const;
  void restore_batches(core& into, time_point now) const;
  void restore_outcomes(core& into) const;

  storage::kv& kv_;
  worker_id worker_;
};

}  // namespace flamingo::worker
