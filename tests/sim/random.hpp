// The simulator's only source of chance: splitmix64 from the seed of the run.
#pragma once

#include <cstdint>
#include <string_view>

namespace flamingo::sim {

class random_source {
public:
  explicit random_source(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n); n > 0.
  std::uint64_t below(std::uint64_t n) { return next() % n; }
  /// Uniform in [first, last].
  std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    return first + below(last - first + 1);
  }
  bool chance(unsigned per_mille) { return per_mille != 0 && below(1000) < per_mille; }
  /// An independent source for a part of the world, so that one part's use does not shift
  /// another's.
  random_source fork(std::string_view part) {
    std::uint64_t h = next();
    for (char c : part) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    return random_source(h);
  }

private:
  std::uint64_t state_;
};

}  // namespace flamingo::sim
