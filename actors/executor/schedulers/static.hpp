// static: a fixed partition by key, no balancing: a transaction runs at the home of its first key,
// and what it writes elsewhere is returned to its home (the paper's baseline without
// execution-layer balancing, section 6; design: "Baselines").
#pragma once

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::executor {

class static_scheduler final : public scheduler {
public:
  std::string_view name() const override { return "static"; }
  bool writes_stay() const override { return false; }

  /// A transaction without keys runs anywhere: by its place in the batch.
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;
};

}  // namespace flamingo::executor
