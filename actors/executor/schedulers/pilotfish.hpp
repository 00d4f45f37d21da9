// pilotfish: objects have fixed places and transactions are spread at dispatch, without looking at
// the load or at where their keys are (Kniep, Kokoris-Kogias, Sonnino, Zablotchi and Zhang:
// Pilotfish, Distributed Execution for Scalable Blockchains, FC 2025; the comparison of the paper's
// section 6; design: "Baselines"). Values come to the executor of a transaction for its sake and
// what it wrote goes back to their owners, so that the next transaction fetches them again.
//
// As in its published prototype, an object's owner follows from its identifier and a transaction's
// executor from its digest, each modulo the number of executors. Where this departs from it:
// - the stream names transactions by position, so that a hash of the position stands for the
// digest;
// - the executor asks the owners for the values (design: "remote reads pulled"); Pilotfish's owners
//   send them once the transaction is first in their queues;
// - read and write sets are known before: no versioned queues, no objects found on the way;
// - recovery is that of the group (aligned snapshots), not Pilotfish's own.
#pragma once

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::executor {

class pilotfish_scheduler final : public scheduler {
public:
  std::string_view name() const override { return "pilotfish"; }
  bool writes_stay() const override { return false; }
  bool pulls() const override { return true; }
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;
};

}  // namespace flamingo::executor
