// The CAF shell of an executor: decodes frames in place, steps the core, and performs its effects.
#pragma once

#include <caf/typed_response_promise.hpp>

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
  void update(const core&, executor_id);
  void snapshot_is_durable(time_point now);

  runtime::reject_counters rejects;
  prometheus::Counter &executed, &batches, &pushed, &remote_reads, &unexpected;
  prometheus::Gauge &index, &snapshot, &snapshot_time, &in_group, &sub_dags_waiting, &steps_waiting,
      &early_frames;
  prometheus::Histogram &schedule_seconds, &snapshot_seconds;

private:
  execution_counts seen_;
};

struct state {
  static inline const char* name = "executor";

  runtime::environment_ptr env;
  executor_birth birth;
  snapshot_keeper keeper;
  std::optional<core> logic;
  std::optional<executor_metrics> metrics;
  std::optional<snapshot_writer> snapshots;
  // Of the snapshot that is being restored, by bucket; then those to be told.
  std::vector<std::optional<digest>> leaves;
  std::optional<state_leaves> restored_leaves;
  bool restored = false;
  std::vector<caf::typed_response_promise<executor_id>> asked;  // whether it has restored

  std::vector<stream_sink> executors;  // by executor; our own is not used
  std::vector<executed_sink> workers;  // by worker
  // Of a snapshot: workers that have not said yet that the results before it are durable, and what
  // waits for them.
  std::size_t unrecorded = 0;
  std::optional<snapshot_chunk_frame> last_chunk;
  progress_sink committer;
  group_sink group;
  bool started = false;
  bool continuing = false;  // a tick behind what waits in the mailbox is on its way
  runtime::timer retry;
  time_point snapshot_begun;

  ~state() {
    if (metrics) metrics->in_group.Set(0);  // it may go on in another process
  }
};

/// Restores its part of the snapshot that `birth` names before it answers that it is ready. Nobody
/// else is to know it before. Calls env->fail if the configuration names no application or
/// scheduler, or the snapshot is not this application's.
executor_actor::behavior_type shell(executor_actor::stateful_pointer<state> self,
                                    runtime::environment_ptr env, const executor_birth& birth,
                                    const snapshot_keeper& keeper);

// -- a process in which executors may run

struct host_state {
  static inline const char* name = "executor_host";
  runtime::environment_ptr env;
};

/// Spawns executors in its own process.
executor_host::behavior_type host_shell(executor_host::stateful_pointer<host_state> self,
                                        runtime::environment_ptr env);

}  // namespace flamingo::executor
