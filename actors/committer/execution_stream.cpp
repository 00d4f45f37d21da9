#include "actors/committer/execution_stream.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::committer {

void execution_stream::replay(executor_id who, commit_index after, std::uint64_t life) {
  FLAMINGO_ASSERT(may_be(who));
  const auto [at, first] = listeners_.try_emplace(who);
  listener& x = at->second;
  if (life < x.life) return;
  x.life = life;
#if FLAMINGO_MUTANT_stream_sent_once
  if (!first) return;
#endif
  x.next = after + 1;
  x.asked = after;
  // It may have more than it executed.
  x.executed = first ? after : std::min(x.executed, after);
  x.window = std::min(first_window, window_);
}

void execution_stream::resend(executor_id who) {
  const auto found = listeners_.find(who);
  if (found != listeners_.end()) replay(who, found->second.executed, found->second.life);
}

void execution_stream::resend() {
  for (const auto& [who, x] : listeners_) replay(who, x.executed, x.life);
}

void execution_stream::progress(const execution_progress& x) {
  FLAMINGO_ASSERT(may_be(x.executor));
  if (x.state_root && x.state_root_index >= root_.state_root_index) root_ = x;
  const auto found = listeners_.find(x.executor);
  if (found == listeners_.end() || found->second.life != x.life) return;
  listener& y = found->second;
  y.snapshot = std::max(y.snapshot, x.snapshot);
  if (x.index <= y.executed) return;
  // Within a life it never goes back. What it says may be of sub-DAGs that are about to be sent to
  // it again: of those it will say nothing any more.
  y.executed = x.index;
  y.next = std::max(y.next, x.index + 1);
  y.window = std::min(2 * y.window, window_);
}

std::vector<stream_part> execution_stream::send(commit_index committed) {
  std::vector<stream_part> parts;
  commit_index slowest{~std::uint64_t{0} - window_};
  for (const auto& [who, x] : listeners_) slowest = std::min(slowest, x.executed);
  const auto may_have = [&](const listener& x, commit_index index) {
    return index <= std::max(x.executed, x.asked) + x.window && index <= slowest + window_;
  };
  for (;;) {
    commit_index next = committed + 1;
    for (const auto& [who, x] : listeners_)
      if (may_have(x, x.next)) next = std::min(next, x.next);
    if (next > committed) return parts;
    stream_part& part = parts.emplace_back(stream_part{next, {}});
    for (auto& [who, x] : listeners_)
      if (x.next == next && may_have(x, next)) {
        part.to.push_back(who);
        ++x.next;
      }
  }
}

commit_index execution_stream::executed() const {
  return lowest(&listener::executed);
}

commit_index execution_stream::snapshot() const {
  return lowest(&listener::snapshot);
}

commit_index execution_stream::lowest(commit_index listener::*of) const {
  commit_index result{~std::uint64_t{0}};
  for (std::uint16_t i = 0; i < executors_; ++i) {
    const auto found = listeners_.find(executor_id{i});
    if (found == listeners_.end()) return commit_index{0};
    result = std::min(result, found->second.*of);
  }
  return result;
}

}  // namespace flamingo::committer
