#include "actors/link/egress_queue.hpp"

namespace flamingo::link {

namespace {

std::uint64_t cost(const shared_bytes& frame) {
  return frame.size() + egress_queue::frame_overhead;
}

}  // namespace

void egress_queue::forget(std::size_t at, const shared_bytes& frame) {
  bytes_[at] -= cost(frame);
  --frames_;
}

// Drops from below, newest first, until `needed` fits; nothing if it cannot fit anyway.
bool egress_queue::make_room(std::size_t above, std::uint64_t needed) {
  if (bytes() + needed <= bound_) return true;
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i <= above; ++i) kept += bytes_[i];
  if (kept + needed > bound_) return false;
  for (std::size_t i = link_priorities - 1; i > above; --i)
    while (!queues_[i].empty() && bytes() + needed > bound_) {
      forget(i, queues_[i].back());
      queues_[i].pop_back();
      ++dropped_[i];
    }
  return true;
}

void egress_queue::push(link_priority priority, shared_bytes frame) {
  const auto at = static_cast<std::size_t>(priority);
  if (!make_room(at, cost(frame))) {
    ++dropped_[at];
    return;
  }
  bytes_[at] += cost(frame);
  ++frames_;
  queues_[at].push_back(std::move(frame));
}

std::optional<shared_bytes> egress_queue::pop() {
  for (std::size_t i = 0; i < link_priorities; ++i) {
    if (queues_[i].empty()) continue;
    auto frame = std::move(queues_[i].front());
    queues_[i].pop_front();
    forget(i, frame);
    return frame;
  }
  return std::nullopt;
}

void egress_queue::clear() {
  for (auto& queue : queues_) queue.clear();
  bytes_ = {};
  frames_ = 0;
}

}  // namespace flamingo::link
