#include "actors/committer/execution_stream.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::committer {

void execution_stream::replay(executor_id who, commit_index after) {
  FLAMINGO_ASSERT(has(who));
  listener& x = listeners_[who];
  x.next = after + 1;
  x.executed = after;
}

void execution_stream::progress(const execution_progress& x) {
  FLAMINGO_ASSERT(has(x.executor));
  if (x.state_root && x.state_root_index >= root_.state_root_index) root_ = x;
  const auto found = listeners_.find(x.executor);
  if (found == listeners_.end()) return;
  // What it says of sub-DAGs that it was not sent is from before it asked anew.
  if (x.index < found->second.next) found->second.executed = x.index;
  found->second.snapshot = std::max(found->second.snapshot, x.snapshot);
}

std::vector<stream_part> execution_stream::send(commit_index committed) {
  std::vector<stream_part> parts;
  if (listeners_.empty()) return parts;
  commit_index slowest = listeners_.begin()->second.executed;
  for (const auto& [who, x] : listeners_) slowest = std::min(slowest, x.executed);
  for (;;) {
    commit_index next = listeners_.begin()->second.next;
    for (const auto& [who, x] : listeners_) next = std::min(next, x.next);
    if (next > committed || next > slowest + window_) return parts;
    stream_part& part = parts.emplace_back(stream_part{next, {}});
    for (auto& [who, x] : listeners_)
      if (x.next == next) {
        part.to.push_back(who);
        ++x.next;
      }
  }
}

commit_index execution_stream::executed() const {
  if (listeners_.size() < executors_) return commit_index{0};
  commit_index result = listeners_.begin()->second.executed;
  for (const auto& [who, x] : listeners_) result = std::min(result, x.executed);
  return result;
}

commit_index execution_stream::snapshot() const {
  if (listeners_.size() < executors_) return commit_index{0};
  commit_index result = listeners_.begin()->second.snapshot;
  for (const auto& [who, x] : listeners_) result = std::min(result, x.snapshot);
  return result;
}

}  // namespace flamingo::committer
