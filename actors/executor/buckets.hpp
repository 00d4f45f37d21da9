// Buckets of keys: the first 16 bits of SHA-256(key), so that state spreads over homes and over the
// state tree whatever the keys are (design: "Snapshots are aligned", "State root").
#pragma once

#include <cstdint>
#include <vector>

#include "messages/assert.hpp"

namespace flamingo::executor {

inline constexpr std::size_t bucket_count = 65536;

/// The first two bytes, as a big-endian number, of SHA-256 over the key's eight little-endian
/// bytes. Given from outside: cores do not hash.
using bucket_function = std::uint16_t (*)(std::uint64_t key);

/// The buckets of the dense keys, computed once and shared by all executors of a process.
struct dense_buckets {
  std::vector<std::uint16_t> of_key;
  std::vector<std::uint32_t> first;  // where each bucket starts in `keys`, and the end
  std::vector<std::uint32_t> keys;   // by bucket, ascending within each

  dense_buckets(std::uint64_t dense_keys, bucket_function bucket_of) {
    FLAMINGO_ASSERT(dense_keys <= std::uint64_t{1} << 31);
    of_key.resize(dense_keys);
    first.assign(bucket_count + 1, 0);
    for (std::uint64_t key = 0; key < dense_keys; ++key) {
      of_key[key] = bucket_of(key);
      ++first[of_key[key] + 1u];
    }
    for (std::size_t b = 0; b < bucket_count; ++b) first[b + 1] += first[b];
    keys.resize(dense_keys);
    auto at = first;
    for (std::uint32_t key = 0; key < dense_keys; ++key) keys[at[of_key[key]]++] = key;
  }
};

}  // namespace flamingo::executor
