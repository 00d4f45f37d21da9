// A hash of a number, for what must only look random: never where a client could profit from
// finding a number that hashes as it likes.
#pragma once

#include <cstdint>

namespace flamingo::executor {

/// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): a cheap bijection that mixes well.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace flamingo::executor
