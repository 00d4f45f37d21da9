// The CAF shell of an executor: decodes frames in place, steps the core, and performs its effects.
#pragma once

#include "actors/executor/executor.hpp"
#include "actors/executor/snapshots_actor.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "actors/runtime/metrics.hpp"
#include "actors/runtime/timer.hpp"

namespace flamingo::executor {

/// The series of one executor (docs/metrics.md).
struct executor_metrics {
  executor_metrics(runtime::metrics&, executor_id);
  void update(const core&);

  runtime::reject_counters rejects;
  prometheus::Counter &executed, &batches, &pushed, &remote_reads, &unexpected;
  prometheus::Gauge &index, &snapshot, &sub_dags_waiting, &steps_waiting, &early_frames;
  prometheus::Histogram &schedule_seconds, &snapshot_seconds;

private:
  execution_counts seen_;
};

struct state {
  static inline const char* name = "executor";

  runtime::environment_ptr env;
  executor_id id;
  std::optional<core> logic;
  std::optional<executor_metrics> metrics;
  std::optional<snapshot_writer> snapshots;
  std::optional<state_leaves> restored_leaves;  // of the snapshot that was restored

  std::vector<stream_sink> executors;  // by executor; our own is not used
  std::vector<executed_sink> workers;  // by worker
  progress_sink committer;
  bool started = false;
  bool continuing = false;  // a tick behind what waits in the mailbox is on its way
  runtime::timer retry;
  time_point snapshot_begun;
};

/// Restores the newest snapshot of the validator's store before it takes any message. Calls
/// env->fail if the configuration names no application or scheduler, or the store cannot be used.
executor_actor::behavior_type shell(executor_actor::stateful_pointer<state> self,
                                    runtime::environment_ptr env, executor_id id);

}  // namespace flamingo::executor
