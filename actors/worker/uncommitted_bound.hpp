// How much of a worker's own may be without a commit. More than the log outputs while a batch is on
// its way makes nothing faster and all wait longer; how much that is, only the network and the
// machine know. It is taken from what they show, as BBR does for a link (Cardwell et al., "BBR:
// Congestion- Based Congestion Control", ACM Queue 2016). Pure.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include "messages/time.hpp"

namespace flamingo::worker {

class uncommitted_bound {
public:
  /// @param least,most bytes; between them the bound is what the log outputs in twice the
  /// shortest delay: one on its way, and as much for when a leader is gone, or the load grows.
  uncommitted_bound(std::uint64_t least, std::uint64_t most)
      : least_(std::min(least, most)), most_(most) {}

  /// The log output an own batch of `bytes`, so long after it was sealed here.
  void output(std::uint64_t bytes, duration delay, time_point now) {
    shortest_ = std::min(shortest_.value_or(duration::max()), delay);
    second& x = seconds_[static_cast<std::size_t>(index_of(now)) % seconds_.size()];
    if (x.index != index_of(now)) x = {index_of(now), 0};
    x.bytes += bytes;
  }

  std::uint64_t bytes(time_point now) const {
    if (!shortest_) return least_;
    std::uint64_t fastest = 0;
    for (const second& x : seconds_)
      if (x.index + static_cast<std::int64_t>(seconds_.size()) > index_of(now))
        fastest = std::max(fastest, x.bytes);
    const auto delays = std::chrono::duration_cast<std::chrono::microseconds>(2 * *shortest_);
    return std::clamp(fastest * static_cast<std::uint64_t>(delays.count()) / 1'000'000, least_,
                      most_);
  }

private:
  struct second {
    std::int64_t index = 0;
    std::uint64_t bytes = 0;
  };

  static std::int64_t index_of(time_point at) {
    return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  }

  std::uint64_t least_, most_;
  std::optional<duration> shortest_;  // since the start: of late ones it would grow with the queue
  std::array<second, 8> seconds_{};   // what was output in each of the newest
};

}  // namespace flamingo::worker
