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
  std::uint8_t master_of(std::span<const slot_access> keys, const std::uint8_t* holders,
                         std::uint32_t cost, partition_map&) const;
  std::uint8_t least_loaded() const;
  bool has_capacity(std::uint8_t executor, std::uint32_t cost) const {
    return load_[executor] + cost <= capacity_;
  }

  std::uint32_t slack_per_mille_;
  std::uint16_t executors_ = 1;
  std::uint64_t capacity_ = 0;                     // of each executor in this batch
  std::array<std::uint64_t, max_executors> load_;  // so far in this batch
};

}  // namespace flamingo::executor
