// How much a peer may say, over all its links of a conversation together: so many frames a second,
// and far fewer in vain, that is, refused as no honest peer's would be, or more than it may ask.
// What is beyond is not read for a while: whoever floods us is throttled by its own connections'
// TCP, and others hardly notice. No CAF.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>

#include "actors/link/peer.hpp"

namespace flamingo::link {

/// Of the middleman's thread. Both are rates with a burst of a second, as worker/rate_limit.hpp,
/// but that what is beyond was taken in already.
class patience {
public:
  using time = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds burst{1}, longest{2};

  patience(std::uint32_t frames_per_second, std::uint32_t vain_frames_per_second)
      : frames_(frames_per_second), vain_frames_(vain_frames_per_second) {}

  /// @param vain of those that came now or before.
  void charge(const peer& of, std::uint64_t frames, std::uint64_t vain, time now) {
    account& x = accounts_[of];
    charge(x.all, frames, frames_, now);
    charge(x.vain, vain, vain_frames_, now);
  }

  /// When it is listened to again; not later than now if it is.
  time quiet_until(const peer& of) const {
    const auto found = accounts_.find(of);
    if (found == accounts_.end()) return {};
    return std::max(found->second.all, found->second.vain) - burst;
  }

  /// Whether something of it was in vain a short time ago.
  bool distrusts(const peer& of, time now) const {
    const auto found = accounts_.find(of);
    return found != accounts_.end() && found->second.vain > now;
  }

private:
  struct account {
    time all{burst}, vain{burst};  // paid until
  };

  static void charge(time& paid_until, std::uint64_t count, std::uint64_t rate, time now) {
    if (count == 0) return;
    const std::uint64_t most = rate * (burst + longest).count();
    const std::chrono::nanoseconds cost{std::min(count, most) * 1'000'000'000 / rate};
    paid_until = std::min(std::max(paid_until, now) + cost, now + burst + longest);
  }

  std::uint64_t frames_, vain_frames_;
  std::map<peer, account> accounts_;  // of peers that exist: their number is the committee's
};

}  // namespace flamingo::link
