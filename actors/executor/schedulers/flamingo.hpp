// flamingo: the paper's deterministic scheduler (section 5; design: "Scheduler: one deterministic
// forward pass", whose six steps are numbered in the code) and a look back over the batch. It
// balances the load of each batch over the executors and otherwise leaves a transaction where its
// keys are; what a transaction writes moves to its master (data fusion), so that keys that are used
// together come together.
//
// Where this departs from the design, which `flamingo-paper` follows word by word:
//
// - Ties of step 4 go to the lower load, not to the master of the latest transaction that touched
//   one of the keys. That is most often the executor with the hottest keys: it is full early in
//   each batch, and what comes later has to move all its keys.
// - Step 7: the forward pass decides without knowing what follows. So each transaction whose values
//   cross executors, one of its inputs or what somebody needs of its writes, is considered again,
//   first to last, and then those that exchange values with one that has moved. It moves to the
//   executor with the most of those that it exchanges values with, among executors with capacity,
//   if they are more than at its own, or as many and that one has less to do. The committed order
//   stays as it is, and nobody gets above the bound.
#pragma once

#include "actors/executor/schedulers/batch_loads.hpp"

namespace flamingo::executor {

class flamingo_scheduler final : public scheduler {
public:
  /// @param slack_per_mille how far above the mean an executor's load in a batch may be.
  explicit flamingo_scheduler(std::uint32_t slack_per_mille) : slack_per_mille_(slack_per_mille) {}

  std::string_view name() const override { return "flamingo"; }
  bool writes_stay() const override { return true; }
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;

private:
  /// Accesses are counted from 1, so that 0 is none.
  struct access {
    slot_access key;
    std::uint32_t transaction;
    std::uint32_t source;  // the latest access before it that writes the key
    std::uint32_t next;    // the next access of the key
  };

  void place(const execution_batch&, partition_map&, batch_plan&);
  static void list_marked(const std::vector<std::uint8_t>& marks, std::vector<std::uint32_t>& into);
  void link(std::uint32_t number, slot_access key, std::uint32_t transaction,
            partition_map::entry&);
  std::uint8_t best_voted(std::span<const std::uint8_t> holders, std::uint32_t cost) const;
  void reconsider(std::uint32_t transaction, const execution_batch&, batch_plan&);
  void settle(std::uint32_t transaction, const execution_batch&, partition_map&, batch_plan&) const;

  template <class F>
  void each_reader(std::uint32_t number, F&& f) const;

  std::uint32_t slack_per_mille_;
  batch_loads loads_;
  // Kept from batch to batch, for their memory:
  std::vector<access> accesses_;
  std::vector<std::uint8_t> crosses_, stirred_, moved_;  // by transaction: 1 if it is
  std::vector<std::uint32_t> considered_;
};

}  // namespace flamingo::executor
