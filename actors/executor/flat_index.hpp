// A flat open-addressing map from a 64-bit key to a 32-bit index: one array, linear probing,
// deletion by shifting back. It holds sparse keys, and what waits, on the hot path of execution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "messages/assert.hpp"

namespace flamingo::executor {

class flat_index {
public:
  static constexpr std::uint32_t none = 0xffffffff;  // never an index

  flat_index() : entries_(minimum) {}

  std::size_t size() const { return size_; }

  /// The index of a key, or `none`.
  std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = place(key);; at = next(at)) {
      const entry& x = entries_[at];
      if (x.index == none) return none;
      if (x.key == key) return x.index;
    }
  }

  /// Sets the index of a key, new or not.
  void set(std::uint64_t key, std::uint32_t index) {
    FLAMINGO_ASSERT(index != none);
    if (2 * (size_ + 1) > entries_.size()) grow();
    std::size_t at = place(key);
    while (entries_[at].index != none && entries_[at].key != key) at = next(at);
    if (entries_[at].index == none) ++size_;
    entries_[at] = {key, index};
  }

  /// Removing what is not there is no error.
  void erase(std::uint64_t key) {
    std::size_t hole = place(key);
    for (;; hole = next(hole)) {
      if (entries_[hole].index == none) return;
      if (entries_[hole].key == key) break;
    }
    // Whatever follows without a gap moves up, unless it already stands at or after its own place.
    for (std::size_t at = next(hole); entries_[at].index != none; at = next(at)) {
      const std::size_t wanted = place(entries_[at].key);
      if (((at - wanted) & mask()) < ((at - hole) & mask())) continue;
      entries_[hole] = entries_[at];
      hole = at;
    }
    entries_[hole].index = none;
    --size_;
  }

private:
  static constexpr std::size_t minimum = 64;  // a power of two
  struct entry {
    std::uint64_t key = 0;
    std::uint32_t index = none;
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  /// Fibonacci hashing: the top bits of a product, so that runs of keys spread.
  std::size_t place(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15) >> 32) & mask();
  }
  void grow() {
    std::vector<entry> old(2 * entries_.size());
    old.swap(entries_);
    size_ = 0;
    for (const entry& x : old)
      if (x.index != none) set(x.key, x.index);
  }

  std::vector<entry> entries_;  // Invariant: at most half of them are used.
  std::size_t size_ = 0;
};

}  // namespace flamingo::executor
