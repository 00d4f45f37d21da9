// What the roles of one validator tell each other of a commit, and its operator, as plain values
// (schema/validator.capnp; the execution stream is in messages/execution.hpp).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/migration.hpp"
#include "messages/time.hpp"

namespace flamingo {

/// A batch whose index the committer lacks, and who said that they store it.
struct wanted_batch {
  digest id;
  validator_id author;
  worker_id worker;
  std::vector<validator_id> signers;  // of its header's certificate, ascending

  friend bool operator==(const wanted_batch&, const wanted_batch&) = default;
};

/// What a commit changes for the primary, the aggregator and the workers.
struct commit_notice {
  commit_index index;
  round_number anchor_round;
  round_number floor;                // headers at or below it are dead
  std::vector<digest> output;        // headers that were output, in order
  std::vector<digest> dead_payload;  // own batches of own headers that died: to be proposed again

  friend bool operator==(const commit_notice&, const commit_notice&) = default;
};

/// What one committed header said of its author's load.
struct header_signals {
  validator_id author;
  round_number round;
  time_point created_at;                                 // by the author's clock
  std::optional<std::chrono::microseconds> queue_delay;  // absent when nothing was sealed
  std::uint64_t transactions = 0;                        // in its payload

  friend bool operator==(const header_signals&, const header_signals&) = default;
};

/// The signals of the headers that an anchor output, in committed order.
struct commit_signals {
  commit_index index;
  round_number anchor_round;
  std::vector<header_signals> headers;

  friend bool operator==(const commit_signals&, const commit_signals&) = default;
};

struct authored_record {
  validator_id author;
  control_record record;

  friend bool operator==(const authored_record&, const authored_record&) = default;
};

/// The control records that an anchor output, in log order.
struct commit_control {
  commit_index index;
  round_number anchor_round;
  std::vector<authored_record> records;

  friend bool operator==(const commit_control&, const commit_control&) = default;
};

/// Two headers that one author signed for one round, by their digests.
struct equivocation {
  validator_id author;
  round_number round;
  digest first;  // the one that was known first here
  digest second;

  friend bool operator==(const equivocation&, const equivocation&) = default;
};

/// Whom this validator can prove to have equivocated.
struct evidence_report {
  std::vector<std::uint32_t> kept;   // by author: equivocations whose signed headers are stored
  std::vector<equivocation> newest;  // of them: a bounded number, each author's newest first

  friend bool operator==(const evidence_report&, const evidence_report&) = default;
};

struct status_query {
  friend bool operator==(status_query, status_query) = default;
};

/// What a count was a while ago.
struct earlier_count {
  std::uint64_t count = 0;
  std::chrono::microseconds ago{0};  // more than 0

  friend bool operator==(const earlier_count&, const earlier_count&) = default;
};

/// What a validator answers to `flamingo status`.
struct status_report {
  validator_id validator;
  round_number round;
  commit_index index;
  round_number anchor_round;
  commit_index executed;
  std::uint64_t committed_transactions = 0;  // fresh ones, since genesis
  std::uint64_t executed_transactions = 0;   // since genesis, up to `executed`
  std::uint64_t duplicates = 0;              // bundles that committed again and were passed over
  std::optional<digest> state_root;          // at state_root_index; absent before the first one
  commit_index state_root_index;
  digest chain;  // over the committed sub-DAGs up to `index`
  std::uint16_t executors = 0;
  /// Newest committed self-report of each validator.
  std::vector<std::optional<std::chrono::microseconds>> queue_delays;
  std::uint64_t rounds_behind = 0;  // behind the highest certified round that it knows of
  evidence_report evidence;
  std::vector<worker_id> absent_workers;  // roles of it whose process is gone
  std::vector<executor_id> absent_executors;
  /// The first checkpoint at which its state was not the others': it executes nothing any more.
  std::optional<commit_index> diverged_at;
  std::optional<earlier_count> committed_before;  // committed_transactions: a rate needs both

  friend bool operator==(const status_report&, const status_report&) = default;
};

/// One executor more or less, or only the report.
struct scale_request {
  std::int8_t change = 0;  // 1, -1 or 0

  friend bool operator==(scale_request, scale_request) = default;
};

/// What a validator answers to `flamingo executor`.
struct executors_report {
  struct executor {
    executor_id id;
    std::string host;  // address of its executor host; empty: the validator's own process
    commit_index executed;
    bool ready = false;  // it has restored its snapshot

    friend bool operator==(const executor&, const executor&) = default;
  };
  struct host {
    std::string address;
    bool up = false;

    friend bool operator==(const host&, const host&) = default;
  };

  validator_id validator;
  std::uint16_t executors = 0;   // in the newest group
  std::uint64_t version = 0;     // of it
  commit_index from;             // it executes from this commit on
  std::uint64_t roll_backs = 0;  // since the process started
  std::string problem;           // why nothing was changed: one line
  std::vector<executor> list;
  std::vector<host> hosts;

  friend bool operator==(const executors_report&, const executors_report&) = default;
};

using operator_message = std::variant<status_query, status_report, scale_request, executors_report>;

}  // namespace flamingo
