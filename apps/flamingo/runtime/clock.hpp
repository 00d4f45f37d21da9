// The clock of a process: nanoseconds since the Unix epoch, and never backwards.
#pragma once

#include <chrono>
#include <functional>

#include "messages/time.hpp"

namespace flamingo::runtime {

/// Takes the wall clock once and counts on with the steady one, so that a step of the wall clock
/// (NTP, an operator) neither stops timers nor repeats a header's creation time.
inline std::function<time_point()> steady_unix_clock() {
  const auto wall = std::chrono::system_clock::now().time_since_epoch();
  const auto start = std::chrono::steady_clock::now();
  return [wall, start] {
    return time_point(
        std::chrono::duration_cast<duration>(wall + (std::chrono::steady_clock::now() - start)));
  };
}

}  // namespace flamingo::runtime
