// A pretended network path at a link's sending end: rate, delay, jitter, loss. Frames stay in
// order, as on TCP.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <utility>

#include "actors/link/settings.hpp"
#include "messages/shared_bytes.hpp"

namespace flamingo::link {

class emulated_path {
public:
  using time = std::chrono::steady_clock::time_point;

  /// @param bound_bytes of frames on the way; more wait before the path.
  emulated_path(const emulation& what, std::uint64_t bound_bytes, std::uint64_t seed);

  /// True if another frame may enter at `now`: the one before has left the sender.
  bool free(time now) const { return wire_free_ <= now && bytes_ < bound_; }

  /// Sends a frame on its way, or loses it.
  void enter(shared_bytes frame, time now);

  /// The next frame that has arrived by `now`.
  std::optional<shared_bytes> leave(time now);

  /// When `leave` will have a frame, or the path be free again; empty if nothing is under way.
  std::optional<time> next(time now) const;

  bool empty() const { return under_way_.empty(); }
  std::uint64_t bytes() const { return bytes_; }
  /// Frames lost since the last call.
  std::uint64_t take_lost() { return std::exchange(lost_, 0); }

private:
  // A wake-up that comes late must not cost rate: that much is caught up.
  static constexpr std::chrono::milliseconds lateness{2};

  struct travelling {
    time arrives;
    shared_bytes frame;
  };

  emulation what_;
  std::uint64_t bound_, bytes_ = 0, lost_ = 0;
  std::mt19937_64 random_;
  time wire_free_{}, last_arrival_{};
  std::deque<travelling> under_way_;
};

}  // namespace flamingo::link
