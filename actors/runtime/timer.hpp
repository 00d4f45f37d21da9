// The one timer of a shell: it keeps a tick on its way for the core's next deadline.
#pragma once

#include <algorithm>
#include <optional>

#include "messages/time.hpp"

namespace flamingo::runtime {

/// Invariant: at most one tick is armed for a time, and ticks that were armed for a later time than
/// the present deadline die out, so that their number never grows.
class timer {
public:
  /// How long from now the shell must send itself a tick; nothing if one is on its way in time.
  std::optional<duration> arm(time_point now, std::optional<time_point> deadline) {
    if (!deadline || (armed_ && *armed_ <= *deadline)) return std::nullopt;
    armed_ = deadline;
    ++on_their_way_;
    return std::max(duration::zero(), *deadline - now);
  }

  /// A tick came. It may be an older one, or early by the difference of two clocks.
  void fired(time_point now) {
    if (on_their_way_ > 0) --on_their_way_;
    if (on_their_way_ == 0 || (armed_ && *armed_ <= now)) armed_.reset();
  }

private:
  std::optional<time_point> armed_;
  std::size_t on_their_way_ = 0;
};

}  // namespace flamingo::runtime
