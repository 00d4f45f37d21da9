// Which validators are killed, when, and for how long they stay down: drawn from a seed.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace flamingo::local {

struct kill_event {
  std::chrono::milliseconds at;        // from the start of the load
  std::size_t validator;               // kill -9
  std::chrono::milliseconds down_for;  // then it is started again

  friend bool operator==(const kill_event&, const kill_event&) = default;
};

/// `kills` events in the middle of `length`, one after another: at any time one validator is down
/// at most, and the last is back before the load ends. The same arguments give the same plan.
std::vector<kill_event> plan_chaos(std::size_t kills, std::size_t validators,
                                   std::chrono::milliseconds length, std::uint64_t seed);

}  // namespace flamingo::local
