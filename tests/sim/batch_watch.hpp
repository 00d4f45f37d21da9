// What one validator's store owes of the batches in it: gathered from what became durable and from
// what it said, so that each deletion can be judged (checkers/deletion.hpp). Part of the recorder.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "actors/executor/snapshot.hpp"
#include "messages/execution.hpp"
#include "storage/kv.hpp"
#include "tests/sim/checkers/deletion.hpp"

namespace flamingo::sim {

class batch_watch {
public:
  void committed(const sequenced_sub_dag&, time_point now);
  /// It told the author.
  void acknowledged(const digest& batch, time_point now);
  /// Its vote for this header is durable.
  void voted(round_number, const std::vector<digest>& payload);

  // The rows of table `executor`, as they become durable: snapshots' markers are among them.
  void put_executor_row(byte_span key, byte_span value);
  void erase_executor_row(byte_span key);
  void erase_executor_rows(byte_span first);

  /// The newest complete one of the executors; 0: none.
  commit_index snapshot() const;

  /// The facts of each batch whose bytes go with these changes.
  /// @param history how long committed ones are kept at least
  std::vector<checkers::deleted_batch> deleted(const storage::write_batch& changes, time_point now,
                                               duration history) const;

private:
  struct output {
    commit_index by;
    time_point at;
  };
  checkers::deleted_batch facts_of(const digest& batch, time_point now) const;

  // A worker hears of a commit a moment after it is durable.
  static constexpr std::chrono::milliseconds hearing{100};

  round_number anchor_;
  std::deque<std::pair<time_point, round_number>> young_;  // anchors that it may not have heard of
  round_number heard_;                                     // the newest that it has
  std::map<digest, output> committed_;                     // the first time
  std::map<digest, round_number> acknowledged_, voted_;
  std::map<std::vector<byte>, executor::found_marker> markers_;  // by key
};

}  // namespace flamingo::sim
