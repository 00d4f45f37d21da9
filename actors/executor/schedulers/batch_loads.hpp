// What each executor has to do in the batch that is being planned, and what it may have to do at
// most (design: "Scheduler", step 2).
#pragma once

#include <algorithm>
#include <array>
#include <numeric>

#include "actors/executor/schedulers/scheduler.hpp"
#include "messages/assert.hpp"

namespace flamingo::executor {

class batch_loads {
public:
  void start(std::span<const std::uint16_t> costs, std::uint16_t executors,
             std::uint32_t slack_per_mille) {
    executors_ = executors;
    for (std::uint16_t e = 0; e < executors; ++e)
      standing_[e] = load_max << 8 | (0xffu - static_cast<std::uint8_t>(e));
    const std::uint64_t total = std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
    FLAMINGO_ASSERT(total <= load_max);
    full_ = (load_max - std::min(load_max, load_bound(total, executors, slack_per_mille))) << 8;
  }

  std::uint16_t executors() const { return executors_; }
  std::uint64_t load(std::uint8_t executor) const { return load_max - (standing_[executor] >> 8); }
  bool has_capacity(std::uint8_t executor, std::uint32_t cost) const {
    return standing_[executor] >= full_ + (std::uint64_t{cost} << 8);
  }
  void add(std::uint8_t executor, std::uint32_t cost) {
    standing_[executor] -= std::uint64_t{cost} << 8;
  }
  void remove(std::uint8_t executor, std::uint32_t cost) {
    standing_[executor] += std::uint64_t{cost} << 8;
  }

  /// The executor with the lowest load, of equal ones the lower id.
  std::uint8_t least() const {
    std::uint64_t best = 0;
    for (std::uint16_t e = 0; e < executors_; ++e) best = std::max(best, standing_[e]);
    return executor_of(best);
  }

  /// Something to compare executors by: the larger weight, then the lower load, then the lower id.
  /// @param weight its low 20 bits count.
  std::uint64_t ranked(std::uint64_t weight, std::uint8_t executor) const {
    return weight << 44 | standing_[executor];
  }
  static std::uint64_t weight_of(std::uint64_t rank) { return rank >> 44; }
  static std::uint8_t executor_of(std::uint64_t rank) {
    return static_cast<std::uint8_t>(0xff - rank % 0x100);
  }

private:
  /// More than the largest batch of the dearest transactions: 100,000 times 65,535.
  static constexpr std::uint64_t load_max = 0xfffffffff;

  std::uint16_t executors_ = 1;
  std::uint64_t full_ = 0;  // standing of an executor whose load is all that it may be, without id
  /// The larger, the lower the load; of equal ones the lower id's is larger.
  std::array<std::uint64_t, max_executors> standing_{};
};

}  // namespace flamingo::executor
