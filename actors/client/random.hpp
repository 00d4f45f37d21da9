// The client's source of random numbers: xoshiro256** seeded by splitmix64 (Blackman and Vigna,
// "Scrambled Linear Pseudorandom Number Generators", TOMS 2021). A function of its seed alone, the
// same on every machine. Pure.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace flamingo::client {

class random {
public:
  explicit random(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15;
      std::uint64_t z = seed;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
      z = (z ^ z >> 27) * 0x94d049bb133111eb;
      word = z ^ z >> 31;
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), but for a bias below bound / 2^64. `bound` is at least 1.
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(next()) * bound >> 64);
  }

private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace flamingo::client
