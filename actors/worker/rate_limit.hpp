// A rate with a burst of one second (the generic cell rate algorithm, ITU-T I.371). Integers only.
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "messages/time.hpp"

namespace flamingo::worker {

class rate_limit {
public:
  /// @param per_second units; with 0 nothing ever passes, nor may it be charged.
  explicit rate_limit(std::uint64_t per_second) : per_second_(per_second) {}

  /// How long `take` would still be refused; zero if it would pass.
  duration wait(time_point now) const {
    if (per_second_ == 0) return burst;
    return std::max(duration{}, paid_until_ - now - burst);
  }

  /// Takes `units` if the rate allows it. One item may exceed what is left of the burst.
  bool take(std::uint64_t units, time_point now) {
    if (wait(now) > duration{}) return false;
    charge(units, now);
    return true;
  }

  /// Takes them in any case: what comes later waits the longer.
  void charge(std::uint64_t units, time_point now) {
    const auto cost = static_cast<std::int64_t>(units * 1'000'000'000 / per_second_);
    paid_until_ = std::max(paid_until_, now) + duration{cost};
  }

private:
  static constexpr duration burst = std::chrono::seconds{1};

  std::uint64_t per_second_;
  time_point paid_until_{};
};

}  // namespace flamingo::worker
