// flamingo: the paper's deterministic scheduler (section 5; design: "Scheduler: one deterministic
// forward pass", whose six steps are numbered in the code). It balances the load of each batch over
// the executors and otherwise leaves a transaction where its keys are; what a transaction writes
// moves to its master (data fusion), so that keys that are used together come together.
#pragma once

#include <array>

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::executor {

class flamingo_scheduler final : public scheduler {
public:
  /// @param slack_per_mille how far above the mean an executor's load in a batch may be.
  explicit flamingo_scheduler(std::uint32_t slack_per_mille) : slack_per_mille_(slack_per_mille) {}

  std::string_view name() const override { return "flamingo"; }
  bool writes_stay() const override { return true; }
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;

private:
  void start_batch(std::span<const std::uint16_t> costs, std::uint16_t executors);
  std::uint8_t best_voted(std::span<const slot_access> keys, const std::uint8_t* holders,
                          std::uint32_t cost, std::uint32_t now, const partition_map&) const;
  std::uint8_t least_loaded() const;

  /// An executor's standing: the larger, the lower its load; of equal ones the lower id's is
  /// larger.
  static constexpr std::uint64_t standing_of(std::uint64_t load, std::uint8_t executor) {
    return (load_max - load) << 8 | (255u - executor);
  }
  static constexpr std::uint8_t executor_of(std::uint64_t standing) {
    return static_cast<std::uint8_t>(255 - standing % 256);
  }
  bool has_capacity(std::uint8_t executor, std::uint32_t cost) const {
    return standing_[executor] >= full_ + (std::uint64_t{cost} << 8);
  }
  static constexpr std::uint64_t load_max = (std::uint64_t{1} << 48) - 1;

  std::uint32_t slack_per_mille_;
  std::uint16_t executors_ = 1;
  std::uint64_t full_ = 0;  // standing of an executor whose load is all that it may be, without id
  std::array<std::uint64_t, max_executors> standing_;  // in this batch, so far
};

}  // namespace flamingo::executor
