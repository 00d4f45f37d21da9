// Who of the validator's executors has got how much of the committed stream, and what is sent next
// (design: execution-layer load balancing, "Snapshots are aligned").
//
// One rule serves the live stream and replays: every executor is sent the sub-DAGs after the last
// one it was sent, in order, but none more than a window ahead of what the slowest one executed.
// Who asks anew (because it restarted, or lacks something) is sent a little at first, and twice as
// much with each progress: asking again and again while the workers are busy must not add to it.
// What has to wait is not held anywhere: it is read from the store when its turn comes.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "messages/execution.hpp"

namespace flamingo::committer {

/// One committed sub-DAG for these executors, and for the workers, which give them its payload.
struct stream_part {
  commit_index index;
  std::vector<executor_id> to;

  friend bool operator==(const stream_part&, const stream_part&) = default;
};

class execution_stream {
public:
  /// @param executors of the newest group: ids 0 to executors - 1
  /// @param window sub-DAGs
  execution_stream(std::uint16_t executors, std::uint64_t window)
      : executors_(executors), window_(window) {}

  static bool may_be(executor_id x) { return x.value < max_group_executors; }

  /// An executor has everything up to `after`, and wants what follows. One that belongs to a group
  /// of actors before its last one (a lower `life`) is not heard any more.
  void replay(executor_id who, commit_index after, std::uint64_t life = 0);
  /// The way to an executor broke and is whole again: what it was sent may be lost.
  void resend(executor_id who);
  /// The same, to all of them.
  void resend();
  void progress(const execution_progress& x);
  /// The newest group has so many.
  void regroup(std::uint16_t executors) { executors_ = executors; }
  /// It has left, and will not ask.
  void left(executor_id who) { listeners_.erase(who); }

  /// What may be sent now, in order.
  /// @param committed the newest commit
  std::vector<stream_part> send(commit_index committed);

  /// Executed by all executors of the group, as far as each of them has said.
  commit_index executed() const;
  /// The newest snapshot that every one of them has, and 0 while one has not said so.
  commit_index snapshot() const;
  /// From executor 0, once it said so.
  const execution_progress* newest_root() const { return root_.state_root ? &root_ : nullptr; }

private:
  struct listener {
    commit_index next;      // to be sent
    commit_index asked;     // it has everything up to this one
    commit_index executed;  // Invariant: below `next`
    commit_index snapshot;
    std::uint64_t window = 0;  // ahead of what it has, sub-DAGs
    std::uint64_t life = 0;
  };

  static constexpr std::uint64_t first_window = 4;  // sub-DAGs

  /// The lowest of what the executors of the group said; 0 if one said nothing.
  commit_index lowest(commit_index listener::*) const;

  std::uint16_t executors_;
  std::uint64_t window_;
  std::map<executor_id, listener> listeners_;  // those that asked for the stream
  execution_progress root_;
};

}  // namespace flamingo::committer
