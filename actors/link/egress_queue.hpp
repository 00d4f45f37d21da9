// The frames that wait to leave a link: three priorities, one bound in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "actors/link/priority.hpp"
#include "messages/shared_bytes.hpp"

namespace flamingo::link {

class egress_queue {
public:
  /// What a frame counts beside its bytes, so that many small ones are bounded too.
  static constexpr std::size_t frame_overhead = 128;

  explicit egress_queue(std::uint64_t bound_bytes) : bound_(bound_bytes) {}

  /// Queues a frame behind those of its priority. To make room, the newest frames of lower
  /// priorities are dropped; if that is not enough, it is itself.
  void push(link_priority priority, shared_bytes frame);

  /// The oldest frame of the highest priority.
  std::optional<shared_bytes> pop();

  void clear();
  bool empty() const { return frames_ == 0; }
  std::size_t frames() const { return frames_; }
  /// Of frames and their overhead: at most the bound.
  std::uint64_t bytes() const { return bytes_[0] + bytes_[1] + bytes_[2]; }
  /// Dropped since the last call, by priority.
  std::array<std::uint64_t, link_priorities> take_dropped() { return std::exchange(dropped_, {}); }

private:
  bool make_room(std::size_t above, std::uint64_t needed);
  void forget(std::size_t at, const shared_bytes& frame);

  std::uint64_t bound_;
  std::array<std::uint64_t, link_priorities> bytes_{};
  std::size_t frames_ = 0;
  std::array<std::deque<shared_bytes>, link_priorities> queues_;
  std::array<std::uint64_t, link_priorities> dropped_{};
};

}  // namespace flamingo::link
