// Execution: one executor's share of the committed stream. It cuts the stream into execution
// batches, plans each with the group's scheduler, runs the transactions that it is the master of,
// and pushes values that it holds to the masters that need them (paper section 5; design:
// execution-layer load balancing, "The stream" and "Execution").
//
// Invariant: the values and results of the whole group are those of the serial execution of the
// committed order. Values flow one way: a push goes out right after the holder's own last step on
// the key before that point, and nobody asks. With a scheduler whose writes do not stay (static)
// the master returns a value that it may have changed to its owner in the same way, and the owner's
// later steps on that key wait for it. With one whose masters pull (pilotfish) the owner pushes no
// value before its master has asked: one request for each (batch, owner), sent as the batch is
// planned.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>

#include "actors/executor/assembly.hpp"
#include "actors/executor/schedulers/scheduler.hpp"
#include "actors/executor/value_store.hpp"
#include "actors/executor/waiting_steps.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo::executor {

/// What one executor sends another, or a worker.
struct pushed_to {
  executor_id to;
  pushed_values values;
};
struct requested_to {
  executor_id to;
  requested_values request;
};
struct results_to {
  executor_id to;
  reported_results results;
};
struct executed_to {
  worker_id to;
  executed_bundles bundles;
};
struct execution_outputs {
  std::vector<pushed_to> pushed;        // one for each (batch, destination)
  std::vector<requested_to> requested;  // likewise
  std::vector<results_to> results;      // likewise
  std::vector<executed_to> executed;    // one for each (sub-DAG, worker)
};

/// Counted since the start.
struct execution_counts {
  std::uint64_t executed = 0;       // transactions that this executor was the master of
  std::uint64_t batches = 0;        // execution batches planned
  std::uint64_t values_pushed = 0;  // values sent to other executors, returned ones too
  std::uint64_t remote_reads = 0;   // values that this executor as master had to wait for
  std::uint64_t unexpected = 0;     // values and results that nothing here waited for
};

class execution {
public:
  struct settings {
    executor_id self;
    std::uint16_t executors = 1;
    std::uint16_t workers = 1;
    std::uint32_t batch_transactions = 1000;
    std::uint32_t slack_per_mille = default_slack_per_mille;  // that the scheduler was made with
  };

  /// @param values must outlive this.
  execution(const settings&, std::shared_ptr<const application>, std::unique_ptr<scheduler>,
            value_store& values);

  // -- the stream: begin, then prepare, plan and run until it is planned

  /// Takes the next sub-DAG. Only when all of the previous one is planned.
  void begin(assembled_sub_dag);
  /// Some of the sub-DAG that was begun is not planned yet.
  bool planning() const { return planning_; }
  /// Reads the next batch of it,
  void prepare();
  /// plans it with the group's scheduler,
  void plan();
  /// and does what can be done of it; the rest waits.
  void run(execution_outputs&);

  // -- from other executors: repeated and unexpected ones are ignored, early ones kept

  /// False if the values are not of the application's size.
  bool receive(pushed_values, execution_outputs&);
  void receive(requested_values, execution_outputs&);
  void receive(const reported_results&, execution_outputs&);

  // -- the homes of keys, for snapshots. Only when everything that was begun is over.

  /// For each other executor, what changed since the last call of the keys that are at home there
  /// and owned here. Nothing at all if the scheduler never moves keys.
  std::vector<pushed_to> changes_for_homes(commit_index snapshot);
  /// Takes such changes. False if the values are not of the application's size.
  bool take_home_changes(const pushed_values&);
  bool keys_move() const { return writes_stay_; }

  // -- another group. Only when everything that was begun is over and the homes have all changes.

  /// What the homes of today give those of the next group: for each other executor of it the keys
  /// that are at home here and will be there, in at least one message.
  std::vector<pushed_to> handovers(const execution_group& next);
  /// Takes such keys. False if the values are not of the application's size.
  bool take_handover(const pushed_values&);
  /// The next sub-DAG is this group's.
  void regroup(const execution_group& next);

  // -- how far it is

  /// Sub-DAGs that were begun and are not over here.
  std::size_t open_sub_dags() const { return open_.size(); }
  /// Forgets the sub-DAGs that are over (all steps done, all answers given) and says the last one.
  std::optional<commit_index> take_completed();
  std::size_t steps_waiting() const { return steps_.size(); }
  std::size_t early_frames() const {
    return early_values_.size() + early_requests_.size() + early_results_.size();
  }
  const execution_counts& counts() const { return counts_; }
  const partition_map& partitions() const { return map_; }

private:
  static constexpr byte unknown_code = 0xff;
  static constexpr std::uint16_t unknown_master = 0xffff;

  struct bundle_run {
    std::uint32_t remaining = 0;                  // codes that are not known here
    std::uint16_t first_master = unknown_master;  // it collects the codes and answers
  };
  struct sub_dag_run {
    assembled_sub_dag stream;
    std::vector<bundle_run> bundles;
    std::vector<byte> codes;  // of its transactions; unknown_code until known
    std::size_t next_bundle = 0;
    operation_reader rest{byte_span{}};  // of the bundle that is being read
    std::uint32_t read = 0;              // transactions read
    std::uint32_t planned = 0;           // transactions planned
    std::uint32_t steps = 0;             // that wait
    std::uint32_t unanswered = 0;        // bundles with their first master here
  };
  /// Where the groups for one destination stand in the outputs, by batch: a guess, to be checked.
  struct group_places {
    std::array<std::uint32_t, 64> at{};
    std::size_t expected = 0;  // size of the group made last: the next one will be like it

    std::uint32_t& of(stream_position batch) {
      return at[(batch.value * 0x9e3779b97f4a7c15) >> 58];
    }
  };
  struct prepared_transaction {
    stream_operation operation;
    std::uint32_t bundle = 0;
    result_code refusal = result_code::applied;
  };

  static constexpr std::size_t handover_keys = 1 << 16;  // of one message

  void mark_changed(std::uint32_t slot);
  static void append(pushed_values& into, std::uint64_t key, byte_span value);
  sub_dag_run& run_of(commit_index index) {
    return open_[index.value - open_.front().stream.index.value];
  }
  void renew_scheduler(std::uint32_t slack_per_mille);
  void read_batch(sub_dag_run&);
  void name_new_slots();
  void append(const stream_operation&, std::uint32_t bundle);

  void run_here(std::uint32_t t, std::uint32_t first, std::uint32_t last, execution_outputs&);
  void run_elsewhere(std::uint32_t t, std::uint32_t first, std::uint32_t last, execution_outputs&);
  std::uint32_t add_step(waiting_steps::kind, std::uint32_t t);
  waiting_steps::link link_of(std::uint32_t access) const;
  void apply_early(execution_outputs&);
  void deliver(const pushed_values&);
  void serve(const requested_values&);
  void take_results(const reported_results&, execution_outputs&);

  void go(execution_outputs&);
  void run_step(std::uint32_t id, execution_outputs&);
  void serve_step(std::uint32_t id, execution_outputs&);
  void regain_step(std::uint32_t id);
  void finish(std::uint32_t id);

  void push(std::uint8_t to, stream_position batch, std::uint32_t transaction, std::uint64_t key,
            const byte* value, execution_outputs&);
  void request(std::uint8_t owner, std::uint32_t transaction, execution_outputs&);
  void answer(sub_dag_run&, std::uint32_t bundle, stream_position batch, std::uint32_t transaction,
              result_code, execution_outputs&);
  void set_code(sub_dag_run&, std::uint32_t bundle, std::uint32_t index, result_code,
                execution_outputs&);
  void answer_unexecuted(sub_dag_run&, std::uint32_t bundle, execution_outputs&);
  void emit(const sub_dag_run&, std::uint32_t bundle, byte_span codes, execution_outputs&);

  settings settings_;
  std::shared_ptr<const application> rules_;
  std::unique_ptr<scheduler> scheduler_;
  value_store& values_;
  partition_map map_;
  bool writes_stay_, pulls_;

  std::deque<sub_dag_run> open_;  // begun, in order, without gaps
  bool planning_ = false;         // Invariant: only the last of open_ may be unplanned.
  stream_position planned_;       // every transaction before this position is planned

  // the batch in hand
  stream_position batch_;
  std::vector<prepared_transaction> transactions_;
  std::vector<slot_access> accesses_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint16_t> costs_;
  std::vector<std::uint32_t> unexecuted_;  // bundles passed that need no execution
  batch_plan plan_;
  access_set set_;

  std::vector<std::uint32_t> changed_;  // slots, for their homes; each once
  waiting_steps steps_;
  std::vector<std::uint32_t> ready_;
  std::map<stream_position, std::vector<pushed_values>> early_values_;  // of batches to come
  std::map<stream_position, std::vector<requested_values>> early_requests_;
  std::map<stream_position, std::vector<reported_results>> early_results_;
  std::vector<group_places> value_groups_, request_groups_, result_groups_;  // by destination
  execution_counts counts_;
};

}  // namespace flamingo::executor
