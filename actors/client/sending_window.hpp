// How many bundles a client has on their way: fewer while validators say that they are busy, so
// that what nobody can take in waits as a number here and not as bytes on links (additive increase,
// multiplicative decrease: Chiu and Jain, Computer Networks and ISDN Systems 1989). Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "messages/time.hpp"

namespace flamingo::client {

class sending_window {
public:
  /// @param most bundles, at least 1; so many to begin with.
  explicit sending_window(std::uint32_t most) : most_(most), size_(most) {}

  std::uint32_t size() const { return size_; }

  /// A bundle that left at `sent` found its assignee busy: half as many, once for all bundles that
  /// had left by then.
  void found_busy(time_point sent, time_point now) {
    if (halved_ && sent <= *halved_) return;
    halved_ = now;
    done_ = 0;
    size_ = std::max(size_ / 2, std::min(fewest, most_));
  }

  /// A bundle has its receipts: one more for each window of them.
  void served() {
    if (++done_ < size_) return;
    done_ = 0;
    size_ = std::min(size_ + 1, most_);
  }

private:
  static constexpr std::uint32_t fewest = 2;  // one that is served, one that is next

  std::uint32_t most_, size_;
  std::uint32_t done_ = 0;  // since the size changed
  std::optional<time_point> halved_;
};

}  // namespace flamingo::client
