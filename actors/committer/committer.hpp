// Committer: turns complete certificates into committed sub-DAGs (Tusk), waits for the bundles of
// their batches, and sequences them into one stream in which every bundle is fresh at most once
// (paper section 2; design: "Tusk", "Exactly once", "Scheduler").
//
// Pure state machine: same state and same inputs, same effects. The shell in committer_actor.hpp
// performs them, computes the chain's digests and combines the coin.
#pragma once

#include <deque>
#include <set>
#include <span>
#include <variant>

#include "actors/committer/batch_indexes.hpp"
#include "actors/committer/client_windows.hpp"
#include "actors/committer/execution_stream.hpp"
#include "actors/committer/tusk.hpp"
#include "actors/errors.hpp"
#include "actors/local_parameters.hpp"
#include "messages/committee.hpp"

namespace flamingo::committer {

// -- inputs
// ---------------------------------------------------------------------------------------

/// The neighbours are known.
struct started {};
/// A complete certificate: all its ancestors above the floor came before it.
struct certified {
  header hdr;
  std::vector<validator_id> signers;  // ascending
};
struct coin_known {
  wave_number wave;
  std::uint64_t value;
};
/// The bundles of a batch that is durable here.
struct indexed {
  batch_index batch;
};
/// A worker is about to give up batches that are durable here.
struct batches_withdrawn {
  batch_withdrawal x;
};
struct progressed {
  execution_progress progress;
};
/// An executor (re)started with everything up to `after` executed.
struct replay_asked {
  executor_id who;
  commit_index after;
  std::uint64_t life = 0;  // of the executors' actors: a roll-back begins another one
};
/// The group of executors is to have so many, from the next commit on.
struct group_wanted {
  std::uint16_t executors = 1;
};
/// An executor has left for good.
struct executor_left {
  executor_id who;
};
/// An executor was introduced: if not for the first time, it or the way to it was lost for a while.
struct executor_met {
  executor_id who;
};
/// A worker was introduced, as above: executors may lack payload that was asked of it.
struct worker_met {};
/// This validator's state is not the others': the log goes on, execution does not.
struct diverged {
  commit_index at;  // the first checkpoint that shows it
};
/// Time has passed; nothing else.
struct ticked {};

using input = std::variant<started, certified, coin_known, indexed, batches_withdrawn, progressed,
                           replay_asked, executor_met, executor_left, group_wanted, worker_met,
                           diverged, ticked>;

// -- effects
// --------------------------------------------------------------------------------------

/// Since genesis; a function of the log.
struct bundle_totals {
  std::uint64_t fresh = 0, duplicate = 0, out_of_window = 0, expired = 0;  // bundles
  std::uint64_t transactions = 0;                                          // fresh ones

  friend bool operator==(const bundle_totals&, const bundle_totals&) = default;
};

/// One commit: durable as one transaction before anybody hears of it.
struct commit {
  log_head head;
  round_number floor;                  // of what comes next
  round_number forget_output;          // output up to this round need not be recorded any more
  std::vector<ordered_header> output;  // in committed order
  std::vector<std::pair<client_id, client_window>> windows;  // those that it changed
  std::vector<digest> dead_added;    // own batches that died with their headers,
  std::vector<digest> dead_removed;  // and those of earlier that were committed after all
  bundle_totals totals;              // after it
  commit_index keep_from;            // commits before it are not needed any more
  std::vector<group_entry> groups;   // of the executors, if the store does not know them yet

  sequenced_sub_dag stream;  // but for its chain digest, which the shell computes
  commit_notice notice;
  commit_signals signals;
  commit_control control;  // without records if there were none

  // For metrics only.
  std::uint64_t skipped_waves = 0;
  duration waited{};  // for the bundles of its batches
};

struct coin_wanted {
  wave_number wave;
  std::vector<std::pair<validator_id, std::vector<byte>>> shares;
};

struct noted_to {
  worker_id worker;
  withdrawal_noted what;
};

/// Performed top to bottom. Commits are durable before anything below them leaves.
struct effects {
  std::vector<commit> commits;
  std::optional<commit_notice> announcement;  // at the start: what is committed already
  std::vector<stream_part> stream;            // read from the store
  std::vector<wanted_batch> wanted;           // asked of the worker that each names
  std::optional<noted_to> noted;              // the answer to a withdrawal
  std::vector<coin_wanted> coins;             // answered with coin_known if the shares make a value
  std::vector<reject> rejected;
  std::optional<replay_asked> unservable;  // an executor asked for commits that are gone
  /// What comes next here needs batches that nobody may keep any more: a checkpoint helps. Told
  /// once.
  bool left_behind = false;
};

// -- state
// ----------------------------------------------------------------------------------------

struct parameters {
  validator_id self;
  std::size_t validators = 0, validity = 0;  // n, f + 1
  leader_election election = leader_election::coin;
  std::uint64_t gc_depth = 0, checkpoint_anchors = 0, bundle_window = 0;
  // local
  std::uint16_t executors = 1;  // of the group at first
  std::uint32_t slack_per_mille = 0;
  std::uint64_t stream_window = 0, commit_retention = 0, index_cache_bundles = 0;
  std::uint32_t max_fetches = 0;
  duration fetch_retry{};

  static parameters of(validator_id self, const committee&, const protocol_parameters&,
                       const local_parameters&);
};

/// Headers that were output stay recorded down to here: an own certificate that comes when it is
/// below the floor already is dead only if it was not output.
constexpr round_number output_floor(round_number anchor_round, std::uint64_t gc_depth) {
  return anchor_round - 2 * gc_depth;
}

/// What the store held: all empty before the first commit.
struct recovered {
  log_head head;
  std::vector<ordered_header> output;  // headers output above output_floor, by position
  std::map<client_id, client_window> windows;
  std::set<digest> dead;  // own batches of dead headers that no later header has committed
  bundle_totals totals;
  commit_index oldest;              // the oldest commit that is there, or 0
  std::vector<group_entry> groups;  // ascending
};

class core {
public:
  core(const parameters&, recovered);

  effects step(time_point now, input in);

  /// When a tick is wanted. Ticks at other times are harmless.
  std::optional<time_point> next_deadline() const { return deadline_; }

  /// All but the chain digest and the executed transactions, which the store knows.
  status_report status() const;
  commit_index executed() const { return stream_.executed(); }
  std::size_t waiting_sub_dags() const { return queue_.size(); }
  /// Who executes what comes after a commit.
  group_log groups_after(commit_index) const;
  const execution_group& group() const { return groups_.rbegin()->second; }

private:
  /// Of a header: what is needed once it is output.
  struct body {
    std::vector<wanted_batch> batches;
    header_signals signals;
    std::vector<control_record> control;
    std::vector<byte> coin_share;
  };
  /// Ordered, but not sequenced: bundles of its batches may be missing.
  struct queued {
    sub_dag order;
    std::vector<body> bodies;  // of order.output
    std::vector<digest> dead;  // own batches of headers that died with it
    time_point since;
  };

  void on(started, effects&);
  void on(certified, effects&);
  void on(coin_known, effects&);
  void on(indexed, effects&);
  void on(batches_withdrawn, effects&);
  void on(progressed, effects&);
  void on(replay_asked, effects&);
  void on(executor_met in, effects&) { stream_.resend(in.who); }
  void on(executor_left in, effects&) { stream_.left(in.who); }
  void on(group_wanted in, effects&) { wanted_executors_ = in.executors; }
  void on(worker_met, effects&) { stream_.resend(); }
  void on(diverged in, effects&) { diverged_at_ = in.at; }
  void on(ticked, effects&) {}

  void ask_coin(round_number of, effects& out) const;
  void order_more(time_point now);
  void enqueue(sub_dag order, time_point now);
  std::vector<digest> died(const dag_position& place);
  void came_late(const header& x);
  bool ready(const queued& x) const;
  void sequence_ready(time_point now, effects& out);
  commit make_commit(queued x, time_point now);
  void choose_group(commit& into);
  sequenced_batch sequence(const wanted_batch& batch, round_number anchor_round);
  void note_dead(const queued& x, commit& into);
  commit_index keep_from() const;
  void ask_batches(time_point now, effects& out);
  bool left_behind(time_point now);

  parameters parameters_;
  std::unique_ptr<leader_rule> leaders_;
  tusk rule_;
  std::map<dag_position, body> bodies_;  // of headers that were not output yet
  std::deque<queued> queue_;             // in commit order
  batch_indexes indexes_;
  client_windows windows_;
  execution_stream stream_;
  std::map<commit_index, execution_group> groups_;  // by their first sub-DAG; never empty
  std::vector<group_entry> new_groups_;             // that no commit has brought into the store
  std::uint16_t wanted_executors_;                  // of the next commit's group
  std::set<digest> dead_;
  std::set<round_number> own_output_;  // own headers that were ordered, above output_floor
  std::set<digest> late_dead_;         // of own headers that came too late: told by the next commit
  log_head committed_;                 // the newest commit that left this core
  bundle_totals totals_;
  commit_index oldest_;                                                 // kept
  std::vector<std::optional<std::chrono::microseconds>> queue_delays_;  // newest committed ones
  commit_notice announcement_;
  std::optional<commit_index> diverged_at_;
  bool ask_ = false;  // something new may be missing
  std::optional<time_point> deadline_;
  time_point next_since_;  // the commit that comes next waits since then
  bool told_behind_ = false;
};

}  // namespace flamingo::committer
