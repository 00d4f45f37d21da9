// flamingo-paper: the paper's deterministic scheduler (section 5; design: "Scheduler: one
// deterministic forward pass", whose six steps are numbered in the code), for comparison with
// `flamingo`, which began as this. It balances the load of each batch over the executors and
// otherwise leaves a transaction where its keys are; what a transaction writes moves to its master
// (data fusion), so that keys that are used together come together.
#pragma once

#include "actors/executor/schedulers/batch_loads.hpp"

namespace flamingo::executor {

class flamingo_paper_scheduler final : public scheduler {
public:
  /// @param slack_per_mille how far above the mean an executor's load in a batch may be.
  explicit flamingo_paper_scheduler(std::uint32_t slack_per_mille)
      : slack_per_mille_(slack_per_mille) {}

  std::string_view name() const override { return "flamingo-paper"; }
  bool writes_stay() const override { return true; }
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;

private:
  std::uint8_t best_voted(std::span<const slot_access> keys, const std::uint8_t* holders,
                          std::uint32_t cost, std::uint32_t now, const partition_map&) const;

  std::uint32_t slack_per_mille_;
  batch_loads loads_;
};

}  // namespace flamingo::executor
