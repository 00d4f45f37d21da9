// Executor: one of a validator's m executor workers. It reads the whole committed stream, runs its
// share of it, tells the clients' workers the results, and takes snapshots at the positions that
// the protocol marks (paper section 5; design: execution-layer load balancing).
//
// Pure: it decides in step, prepare, plan and run, and the shell performs the effects from top to
// bottom. Nothing that it says rests on its store, but Progress.snapshot: after a crash the whole
// group returns to its last complete snapshot and executes again, with the same results.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "actors/executor/assembly.hpp"
#include "actors/executor/execution.hpp"
#include "actors/executor/snapshot.hpp"
#include "actors/executor/state_tree.hpp"
#include "messages/time.hpp"

namespace flamingo::executor {

// -- inputs

/// The neighbours are known, or the committer was met again: ask for the stream.
struct started {};
/// A committed sub-DAG as sequenced, from the committer.
struct sequenced_received {
  sequenced_sub_dag sub_dag;
};
/// The operations of a batch, from a worker. They point into `frame`.
struct payload_received {
  payload_view payload;
  shared_bytes frame;
};
/// Values, or how far another executor is.
struct values_received {
  pushed_values values;
};
struct requests_received {
  requested_values request;
};
struct results_received {
  reported_results results;
};
/// Changed leaves of the state tree; executor 0 collects them.
struct leaves_received {
  state_leaves leaves;
};
/// This executor's part of a snapshot is durable.
struct snapshot_durable {
  commit_index index;
};
/// The time that next_deadline() named has come, or the queue of inputs is empty.
struct timer {};

using input =
    std::variant<started, sequenced_received, payload_received, values_received, requests_received,
                 results_received, leaves_received, snapshot_durable, timer>;

// -- effects

struct effects {
  std::optional<snapshot_image> snapshot;  // to hash and store, beside everything else
  execution_outputs outputs;
  /// Ask the committer for the stream after this sub-DAG. Before it is told of progress: of a life
  /// that has not asked yet it hears none, and with a small window it would wait for that for ever.
  std::optional<commit_index> replay;
  std::optional<execution_progress> progress;
  std::vector<reject> rejected;  // counted in metrics, nothing else
};

// -- state

struct parameters {
  execution::settings share;
  std::uint64_t group_version = 0;  // of the group that executes what comes first
  std::uint64_t life = 0;           // of the group's actors: a roll-back begins another one
  assembly::limits waiting;
  std::uint64_t max_lead = 16;             // sub-DAGs ahead of the slowest executor of the group
  std::size_t max_waiting_steps = 50'000;  // beyond that nothing new is begun
  duration stream_retry{};                 // a gap in the stream is asked for after this
};

/// What cores need of the outside.
struct functions {
  bucket_function bucket_of = nullptr;
  hash_function hash = nullptr;
};

class core {
public:
  core(const parameters&, std::shared_ptr<const application>, std::unique_ptr<scheduler>,
       std::shared_ptr<const dense_buckets>, functions);

  // -- before the first step: a snapshot, bucket by bucket, then its marker

  /// Whether this executor keeps the bucket.
  bool is_home(std::uint16_t bucket) const;
  /// False for bytes that no snapshot of this application holds.
  bool restore_bucket(byte_span);
  void restored(const snapshot_marker&);
  /// Or instead of it: nothing is at home here before the group takes this executor in, some time
  /// after that sub-DAG.
  void stand_by(commit_index);

  // -- running

  /// What follows from values and results is held back until the next run or `timer`, so that what
  /// several of them release leaves together.
  effects step(time_point now, input);
  /// Something is held back: a step with `timer` is wanted after the inputs that wait already.
  bool holding() const { return holding_; }

  /// Whether a batch can be taken up now. The shell does so until it cannot:
  bool runnable() const;
  /// reads the next batch,
  void prepare();
  /// plans it (the shell times this),
  void plan() { execution_.plan(); }
  /// and runs it.
  effects run(time_point now);

  /// When a step with `timer` is wanted.
  std::optional<time_point> next_deadline() const { return retry_at_; }

  // -- read by metrics and tests

  commit_index executed() const { return executed_; }
  commit_index snapshot() const { return durable_; }
  const execution_counts& counts() const { return execution_.counts(); }
  std::size_t sub_dags_waiting() const { return assembly_.sub_dags_waiting(); }
  std::size_t sub_dags_open() const { return execution_.open_sub_dags(); }
  std::size_t steps_waiting() const { return execution_.steps_waiting(); }
  std::size_t early_frames() const { return execution_.early_frames(); }
  const execution_group& group() const { return group_; }
  value_store& values() { return values_; }
  const partition_map& partitions() const { return execution_.partitions(); }

private:
  struct peer {
    commit_index executed, snapshot;
  };
  using parts = std::map<std::uint32_t, pushed_values>;

  void on(const started&, effects&);
  void on(sequenced_received, effects&);
  void on(payload_received, effects&);
  void on(values_received, effects&);
  void on(requests_received, effects&);
  void on(const results_received&, effects&);
  void on(leaves_received, effects&);
  void on(const snapshot_durable&, effects&);
  void on(const timer&, effects&);

  void settle(time_point now, effects&);
  void release(effects&);
  void take_snapshot(effects&);
  void keep_home_changes(pushed_values);
  bool gather_home_changes(commit_index, effects&);
  void follow_group(effects&);
  bool change_group(const execution_group& next, effects&);
  void keep_handover(pushed_values);
  bool handovers_complete(const execution_group& next) const;
  void take_handovers(const execution_group& next, effects&);
  void make_image(effects&);
  void ask_for_missing(time_point now, effects&);
  void tell(effects&);
  bool snapshot_due() const { return barrier_.has_value(); }
  bool group_has_snapshot(commit_index) const;
  executor_id self() const { return parameters_.share.self; }
  bool is_member() const { return group_.has(self()); }
  /// Calls f(executor) for each other one of the group.
  template <class F>
  void each_other(F&& f) const {
    for (std::uint16_t i = 0; i < group_.executors; ++i)
      if (i != self().value) f(i);
  }

  parameters parameters_;
  std::shared_ptr<const application> rules_;
  value_store values_;
  execution execution_;
  assembly assembly_;
  std::optional<root_collector> roots_;  // of executor 0

  // Of the sub-DAG before the next one. Who is not in it only reads along.
  execution_group group_;
  std::array<peer, max_group_executors> peers_;  // by executor; our own entry is not used
  commit_index executed_;                        // every sub-DAG up to this one is over here
  commit_index durable_;                         // our newest durable snapshot
  // Invariant: while there is a barrier nothing after it is begun.
  std::optional<commit_index> barrier_;  // a snapshot is due at the end of this sub-DAG
  bool changes_told_ = false;  // for the snapshot that is due, to the homes of what is owned here
  std::map<commit_index, std::vector<pushed_values>> home_changes_;  // of snapshots that are due
  commit_index homes_at_;  // the homes have what changed up to here
  // What comes from the homes of today for another group, by its version and executor.
  std::map<std::uint64_t, std::map<std::uint16_t, parts>> handovers_;
  bool handed_over_ = false;     // to the group that the next sub-DAG names
  std::uint64_t snapshots_ = 0;  // number of the newest one taken
  commit_index snapshot_taken_;
  execution_outputs held_;  // on their way out
  bool holding_ = false;
  execution_progress told_;     // the last progress that was sent
  bool tell_ = false;           // progress is to be sent even if nothing moved
  std::uint16_t audience_ = 0;  // executors of the group when it was last told,
  bool spoke_ = false;          // and whether this one was in it

  std::optional<time_point> retry_at_;
  commit_index retry_for_;
  bool timer_fired_ = false;
};

}  // namespace flamingo::executor
