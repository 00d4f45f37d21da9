// The partition map: which executor owns each key now (design: "Scheduler"). It starts with every
// key at its home and is the same in every executor of a group.
#pragma once

#include <cstdint>
#include <vector>

#include "messages/identifiers.hpp"

namespace flamingo::executor {

inline constexpr std::uint16_t max_executors = 64;  // that the execution can address

class partition_map {
public:
  explicit partition_map(std::uint16_t executors) : executors_(executors) {}

  std::uint16_t executors() const { return executors_; }
  std::uint8_t home(std::uint16_t bucket) const {
    return static_cast<std::uint8_t>(bucket % executors_);
  }

  /// The key of the next slot, in this bucket: its home owns it.
  void add(std::uint16_t bucket) { owner_.push_back(home(bucket)); }
  void reserve(std::size_t slots) { owner_.reserve(slots); }

  std::size_t slots() const { return owner_.size(); }
  std::uint8_t owner(std::uint32_t slot) const { return owner_[slot]; }
  void set_owner(std::uint32_t slot, std::uint8_t executor) { owner_[slot] = executor; }

private:
  std::uint16_t executors_;
  std::vector<std::uint8_t> owner_;  // by slot
};

}  // namespace flamingo::executor
