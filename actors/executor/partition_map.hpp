// The partition map: which executor owns each key now, and who touched it last (design:
// "Scheduler"). It starts with every key at its home and is the same in every executor of a group.
#pragma once

#include <cstdint>
#include <vector>

#include "messages/identifiers.hpp"

namespace flamingo::executor {

inline constexpr std::uint16_t max_executors = 64;  // that a plan can address

class partition_map {
public:
  explicit partition_map(std::uint16_t executors) : executors_(executors) {}

  static constexpr std::uint8_t nobody = 0xff;

  std::uint16_t executors() const { return executors_; }
  std::uint8_t home(std::uint16_t bucket) const {
    return static_cast<std::uint8_t>(bucket % executors_);
  }

  /// The key of the next slot, in this bucket: its home owns it.
  void add(std::uint16_t bucket) { keys_.push_back({0, home(bucket), nobody}); }
  void reserve(std::size_t slots) { keys_.reserve(slots); }
  std::size_t slots() const { return keys_.size(); }

  std::uint8_t owner(std::uint32_t slot) const { return keys_[slot].owner; }

  /// What a plan knows of a key: 8 bytes, so that one cache line answers for it.
  struct entry {
    std::uint32_t touched;     // low bits of the position of the last transaction that touched it
    std::uint8_t owner;        // Invariant: below executors()
    std::uint8_t last_master;  // of that transaction; nobody: there was none
    bool changed = false;      // this executor holds a change for its home (execution)
  };
  entry& at(std::uint32_t slot) { return keys_[slot]; }

private:
  std::uint16_t executors_;
  std::vector<entry> keys_;  // by slot
};

}  // namespace flamingo::executor
