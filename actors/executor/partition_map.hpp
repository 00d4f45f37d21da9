// The partition map: which executor owns each key now, and what the scheduler notes of it (design:
// "Scheduler"). It starts with every key at its home, is the same in every executor of a group, and
// starts anew when the group changes.
#pragma once

#include <cstdint>
#include <vector>

#include "messages/identifiers.hpp"

namespace flamingo::executor {

inline constexpr std::uint16_t max_executors = 64;  // that a plan can address

class partition_map {
public:
  explicit partition_map(std::uint16_t executors) : executors_(executors), before_(executors) {}

  static constexpr std::uint8_t nobody = 0xff;

  std::uint16_t executors() const { return executors_; }
  std::uint8_t home(std::uint16_t bucket) const {
    return static_cast<std::uint8_t>(bucket % executors_);
  }

  /// Who owns the keys of a bucket as long as nobody moves them: their home; where keys move, their
  /// home in the group before, so that who joined begins with nothing, unless that one has left.
  std::uint8_t first_owner(std::uint16_t bucket) const {
    const auto owner = static_cast<std::uint8_t>(bucket % before_);
    return owner < executors_ ? owner : home(bucket);
  }

  /// Another group: forgets all slots, which are to be added again.
  void regroup(std::uint16_t executors, bool keys_move) {
    before_ = keys_move ? executors_ : executors;
    executors_ = executors;
    keys_.clear();
  }

  /// The key of the next slot, in this bucket.
  void add(std::uint16_t bucket) { keys_.push_back({0, first_owner(bucket), nobody}); }
  void reserve(std::size_t slots) { keys_.reserve(slots); }
  std::size_t slots() const { return keys_.size(); }

  std::uint8_t owner(std::uint32_t slot) const { return keys_[slot].owner; }

  /// What a plan knows of a key: 8 bytes, so that one cache line answers for it.
  struct entry {
    std::uint32_t mark;        // the scheduler's own; 0 at first
    std::uint8_t owner;        // Invariant: below executors()
    std::uint8_t last_master;  // the scheduler's own; nobody at first
    bool changed = false;      // this executor holds a change for its home (execution)
  };
  entry& at(std::uint32_t slot) { return keys_[slot]; }
  const entry& at(std::uint32_t slot) const { return keys_[slot]; }
  /// The entry will be written soon.
  [[gnu::always_inline]] void prefetch(std::uint32_t slot) const {
    __builtin_prefetch(keys_.data() + slot, 1);
  }

private:
  std::uint16_t executors_;
  std::uint16_t before_;     // executors of the group before, or as executors_
  std::vector<entry> keys_;  // by slot
};

}  // namespace flamingo::executor
