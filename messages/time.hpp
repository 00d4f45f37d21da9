// Time as the cores see it: a point that somebody hands in. There is no now() here on purpose.
#pragma once

#include <chrono>

namespace flamingo {

/// Nanoseconds since the Unix epoch, monotonic within a process. Shells and the simulator make the
/// points; `protocol_clock` has no now(), so a core cannot read a clock.
struct protocol_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<protocol_clock>;
  static constexpr bool is_steady = true;
};

using time_point = protocol_clock::time_point;
using duration = protocol_clock::duration;

}  // namespace flamingo
