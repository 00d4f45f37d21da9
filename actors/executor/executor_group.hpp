// Executor group: how many executors a validator has, and where each of them runs. It starts them
// from the last complete snapshot, adds and removes one while the stream goes on, and when one
// crashes begins a new life of the whole group from the snapshot (design: execution-layer load
// balancing, "Snapshots are aligned", "Scale out / in, live").
//
// Pure: it decides, the shell performs. Which executors execute what stands in the committer's log,
// and this core starts whom the log names; so nothing here is durable but what the log says.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/execution.hpp"
#include "messages/time.hpp"
#include "messages/validator.hpp"

namespace flamingo::executor_group {

/// Where an executor runs: the address of a host; empty: in the process of the group itself.
using host_address = std::string;

// -- inputs

/// The neighbours are known, or the committer is there again.
struct started {};
/// The newest complete snapshot, and who executes what comes after it.
struct log_known {
  commit_index snapshot;  // 0: genesis
  group_log log;
};
struct host_met {
  host_address host;
};
struct host_left {
  host_address host;
};
/// An executor could not be spawned where it was to be.
struct not_spawned {
  executor_id who;
  std::uint64_t life = 0;
  std::string why;
};
/// It has restored its snapshot.
struct restored {
  executor_id who;
  std::uint64_t life = 0;
};
/// All executors know each other and were known to all when they were to be introduced.
struct introduced {
  std::uint64_t life = 0;
};
/// It has crashed, or was told to end.
struct ended {
  executor_id who;
  std::uint64_t life = 0;
};
/// A worker restarted, and lost results since the last snapshot that it had not stored.
struct worker_restarted {
  worker_id who;
};
struct progressed {
  execution_progress progress;
};
/// An operator wants one more (1), one less (-1), or only the report (0).
struct scale_asked {
  std::uint64_t ticket = 0;
  std::int8_t change = 0;
};
/// What was wanted of the committer stands in its log.
struct group_logged {
  group_log log;
};
/// The time that next_deadline() named has come.
struct timer {};

using input =
    std::variant<started, log_known, host_met, host_left, not_spawned, restored, introduced, ended,
                 worker_restarted, progressed, scale_asked, group_logged, timer>;

// -- effects

struct birth {
  executor_id who;
  host_address host;
  commit_index from;
  execution_group group;  // of the sub-DAG after `from`
};
struct answer {
  std::uint64_t ticket = 0;
  executors_report report;
};

/// Performed top to bottom.
struct effects {
  std::vector<executor_id> end;
  std::optional<std::uint64_t> new_life;  // who belongs to an earlier one is not heard any more
  bool learn = false;                     // find the snapshot, ask for the log: log_known
  std::vector<birth> spawn;               // each answered by restored or not_spawned
  bool introduce = false;                 // all executors to each other and to everybody
  std::vector<executor_id> start;
  std::vector<executor_id> forget;       // they have left, tell everybody
  std::optional<std::uint16_t> want;     // of the committer: a group of so many
  std::vector<answer> answers;           // to operators
  std::optional<std::string> roll_back;  // why: one line for the log
};

// -- state

struct parameters {
  validator_id self;
  duration pause = std::chrono::seconds(1);  // between the beginnings of two lives
};

class core {
public:
  explicit core(const parameters& p) : parameters_(p) {}

  effects step(time_point now, input in);
  std::optional<time_point> next_deadline() const { return learn_at_; }

  // -- read by metrics and tests
  std::uint16_t executors() const;
  std::uint64_t roll_backs() const { return roll_backs_; }
  bool running() const { return phase_ == phase::running; }

private:
  enum class phase : std::uint8_t { idle, learning, restoring, introducing, running };
  enum class stage : std::uint8_t { spawned, restored, started, ending };
  struct member {
    host_address host;
    stage at = stage::spawned;
    commit_index executed;
  };
  /// What an operator asked for and has no answer yet.
  struct change {
    std::uint64_t ticket = 0;
    std::uint16_t executors = 0;
    bool logging = false;  // asked of the committer
    bool retried = false;  // on another host
  };

  void on(const started&, effects&);
  void on(const log_known&, effects&);
  void on(const host_met& x, effects&) { hosts_[x.host] = true; }
  void on(const host_left& x, effects&) { hosts_[x.host] = false; }
  void on(const not_spawned&, effects&);
  void on(const restored&, effects&);
  void on(const introduced&, effects&);
  void on(const ended&, effects&);
  void on(const worker_restarted&, effects&);
  void on(const progressed&, effects&);
  void on(const scale_asked&, effects&);
  void on(const group_logged&, effects&);
  void on(const timer&, effects&);

  void learn(effects&);
  void roll_back(const std::string& why, effects&);
  void begin_life(effects&);
  void add(effects&);
  void end_leavers(effects&);
  void give_up_change(const std::string& why, effects&);
  std::optional<std::string> cannot_change(std::int8_t by) const;
  host_address pick_host() const;
  execution_group group_at(commit_index) const;
  executors_report report(std::string problem) const;
  member* find(executor_id, std::uint64_t life);

  parameters parameters_;
  phase phase_ = phase::idle;
  std::uint64_t life_ = 0;
  time_point now_, life_began_;
  std::optional<time_point> learn_at_;
  group_log log_;          // what the committer said; its first entry is the snapshot's group
  commit_index snapshot_;  // that this life began with
  std::map<executor_id, member> members_;
  std::map<host_address, bool> hosts_;  // whether each is there
  std::optional<change> change_;
  std::uint64_t roll_backs_ = 0;
};

}  // namespace flamingo::executor_group
