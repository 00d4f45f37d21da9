// What a worker knows of each batch that it stores, own or received, and when it may forget one
// (design: the certified DAG, "Durable before it leaves": deletion of batches only behind a commit
// and an execution snapshot past it; "Recovery, history, checkpoints"). Pure.
//
// A committed batch that some header may still bring into the log again (its author lies) is held.
// It becomes history, which is kept for peers for a while, once no such header is left.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/time.hpp"

namespace flamingo::worker {

/// Where a batch stands in the store. Two batches of one author and sequence (a liar's) differ in
/// their digests.
struct batch_key {
  validator_id author;
  batch_sequence sequence;
  digest id;
  friend auto operator<=>(const batch_key&, const batch_key&) = default;
};

struct batch_record {
  validator_id author;
  batch_sequence sequence;
  std::uint64_t bytes = 0;  // of the frame
  std::uint32_t transactions = 0;
  digest counts_digest;
  bool durable = false;
  std::optional<commit_index> committed;  // by the newest commit that output it
  bool held = false;
  bool listed_again = false;  // held, and counted as if no commit had output it
  std::uint64_t filed = 0;    // its number in the history; 0: it is none

  batch_key key(const digest& id) const { return {author, sequence, id}; }
};

class batch_records {
public:
  /// What a batch costs here beside its frame, generously: its rows, and what this role and others
  /// remember of it. Bounds count it, as millions of tiny batches are no more welcome than large
  /// ones.
  static constexpr std::uint64_t overhead = 1024;

  struct settings {
    std::uint64_t history_bytes = 0;
    duration history_retention{};
  };
  /// A committed batch that may be deleted, with the commit that it is filed under.
  struct deletion {
    commit_index index;
    batch_key batch;
  };

  explicit batch_records(settings with) : with_(with) {}

  const batch_record* find(const digest& id) const {
    const auto found = records_.find(id);
    return found == records_.end() ? nullptr : &found->second;
  }
  /// A batch that is being stored. It must be new.
  void add(const digest& id, const batch_record&);
  /// @returns the record, which must be there.
  const batch_record& durable(const digest& id);

  /// What became of a batch that a commit output.
  struct committed_before {
    bool news = false;                     // by this commit, newer than all that did before
    std::optional<commit_index> outdated;  // the one that it was filed under until now
  };
  /// Commit `index` output the batch: it is history, if nobody holds it. A liar can have a batch
  /// output more than once, and any of these commits may be the one that executes a bundle of it.
  committed_before commit(const digest& id, commit_index index, time_point now);

  /// A committed batch is no history until it is released.
  void hold(const digest& id);
  /// The same, and until then it counts among what no commit has output: its author has listed it
  /// again.
  void list_again(const digest& id);
  /// It is history from now on.
  void release(const digest& id, time_point now);

  /// Forgets a batch that no commit has output.
  void give_up(const digest& id);

  /// What may go: history, output by a commit that every executor has a snapshot past, and either
  /// older than what is kept for peers, or beyond its size. They are forgotten here.
  void take_deletions(commit_index snapshot, time_point now, std::vector<deletion>& out);

  /// Bytes of an author's batches that no commit has output yet, or that it listed again,
  /// `overhead` included.
  std::uint64_t uncommitted_bytes(validator_id author) const {
    const auto found = uncommitted_.find(author);
    return found == uncommitted_.end() ? 0 : found->second;
  }
  /// Of all other batches: history, and what will be.
  std::uint64_t history_bytes() const { return history_bytes_; }
  std::size_t size() const { return records_.size(); }

  /// Calls `f(digest, record)` for each uncommitted batch, by author and sequence.
  template <class F>
  void for_each_uncommitted(F&& f) const {
    std::map<batch_key, const batch_record*> sorted;
    for (const auto& [id, record] : records_)
      if (!record.committed) sorted.emplace(record.key(id), &record);
    for (const auto& [key, record] : sorted) f(key.id, *record);
  }

  /// Calls `f(digest, record)` for each held batch.
  template <class F>
  void for_each_held(F&& f) const {
    for (const auto& [id, record] : records_)
      if (record.held) f(id, record);
  }

private:
  struct filed {
    digest id;
    time_point at;
  };

  batch_record& committed(const digest& id);
  void file(const digest& id, batch_record&, time_point now);

  settings with_;
  std::map<digest, batch_record> records_;
  std::map<validator_id, std::uint64_t> uncommitted_;
  std::map<std::uint64_t, filed> history_;  // by number: in the order in which they were filed
  std::uint64_t filings_ = 0, history_bytes_ = 0;
};

}  // namespace flamingo::worker
