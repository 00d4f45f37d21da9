// The execution stream as plain values (design: execution-layer load balancing).
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo {

/// What the sequencer says of a committed bundle. Only fresh ones are executed.
enum class verdict : std::uint8_t { fresh, duplicate, out_of_window, expired };

/// What became of one transaction. Equal at every validator.
enum class result_code : std::uint8_t {
  applied,
  insufficient,       // the balance does not allow it
  invalid_operation,  // not an operation of the application
  invalid_account,    // an account that does not exist
  invalid_same,       // the same account twice
  invalid_amount,     // negative, or an overflow
  system,             // a system transaction: handled by the coordinator, not by executors
  expired,            // its bundle came after the anchor round it allowed
  overdrawn,          // applied, with the penalty of an overdraft
  conflict,           // what the state holds forbids it: taken already, not there, somebody else's
};
std::string_view to_string(result_code x);

/// Whether the transaction changed the state as it asked to.
constexpr bool succeeded(result_code x) {
  return x == result_code::applied || x == result_code::overdrawn;
}
/// Whether a byte from a message is a result code.
constexpr bool is_result_code(byte x) {
  return x <= static_cast<byte>(result_code::conflict);
}

struct sequenced_bundle {
  client_id client;
  bundle_sequence sequence;
  digest id;
  verdict what = verdict::fresh;
  std::uint32_t transactions = 0;
};

struct sequenced_batch {
  digest id;
  validator_id author;
  worker_id worker;
  std::vector<sequenced_bundle> bundles;
};

/// The executors that execute a sub-DAG, an entry of the validator's own stream: it takes no
/// position, and neither results nor state depend on it (design: "Scale out / in, live").
struct execution_group {
  std::uint64_t version = 0;           // changes since the validator began
  std::uint16_t executors = 1;         // ids 0 to executors - 1
  std::uint32_t slack_per_mille = 50;  // how far above the mean the load of one may be

  bool has(executor_id x) const { return x.value < executors; }
  friend bool operator==(const execution_group&, const execution_group&) = default;
};
inline constexpr std::uint16_t max_group_executors = 10;

/// The slack of a group: `per_mille` with eight executors or more, and less with fewer, in
/// proportion. Slack keeps keys together. With few executors there is little to keep, and work that
/// is spread blindly is nearly even: 5 % would be more than that.
constexpr std::uint32_t slack_of_group(std::uint16_t executors, std::uint32_t per_mille) {
  return per_mille * std::min<std::uint32_t>(executors, 8) / 8;
}

/// The group of the sub-DAGs from `from` on.
struct group_entry {
  commit_index from;
  execution_group group;

  friend bool operator==(const group_entry&, const group_entry&) = default;
};
/// Who executes what, as it stands in the validator's log.
struct group_log {
  std::vector<group_entry> entries;  // ascending; the first is that of the sub-DAG asked for
  commit_index committed;

  friend bool operator==(const group_log&, const group_log&) = default;
};

/// One committed sub-DAG after the sequencer: the unit that workers and executors get.
struct sequenced_sub_dag {
  commit_index index;
  round_number anchor_round;
  digest anchor;
  stream_position first_position;  // of its first fresh transaction
  bool snapshot = false;           // executors take a snapshot at its end
  std::vector<sequenced_batch> batches;
  digest chain;
  execution_group group;  // the only field in which validators differ
};

/// One transaction of the stream, in place: `operation` points into the payload's bytes.
struct stream_operation {
  account_id account;
  byte_span operation;
  bool system = false;
};

/// Values on their way from the executor that holds them to the one that needs them, or how far the
/// sender is. An execution batch is named by the stream position of its first transaction.
struct pushed_values {
  stream_position batch;
  executor_id from;
  commit_index executed;  // every sub-DAG up to this one is executed at the sender
  commit_index snapshot;  // its newest durable snapshot
  std::vector<std::uint32_t> transactions;  // for each value: the transaction within the batch
  std::vector<std::uint64_t> keys;          // for each value
  std::vector<byte> values;  // one after another, each of the application's value size
  /// Not 0: what changed of the receiver's home keys up to the snapshot at this index.
  commit_index snapshot_at;
  /// Not 0: values of keys whose home the receiver becomes with this version of the group.
  std::uint64_t handover = 0;
  std::uint32_t part = 0, parts = 0;  // of a hand-over: which of how many messages
  std::uint64_t snapshots = 0;        // of a hand-over: the number of the newest snapshot

  friend bool operator==(const pushed_values&, const pushed_values&) = default;
};

/// A master asks an owner for what its transactions need: of each of them, the values of all keys
/// that the receiver owns. Only where masters pull (executor/schedulers/scheduler.hpp).
struct requested_values {
  stream_position batch;
  executor_id from;
  std::vector<std::uint32_t> transactions;  // index within the execution batch

  friend bool operator==(const requested_values&, const requested_values&) = default;
};

/// Result codes of transactions, for the first master of their bundle.
struct reported_results {
  stream_position batch;
  executor_id from;
  std::vector<std::uint32_t> transactions;  // index within the execution batch
  std::vector<result_code> codes;           // one for each

  friend bool operator==(const reported_results&, const reported_results&) = default;
};

/// Bundles whose results are complete: their clients are to be answered.
struct executed_bundles {
  struct bundle {
    client_id client;
    bundle_sequence sequence;
    digest id;
    validator_id author;                        // of the batch: the carrier
    std::uint32_t first = 0, transactions = 0;  // its codes in `results`

    friend bool operator==(const bundle&, const bundle&) = default;
  };

  commit_index index;
  round_number anchor_round;
  std::vector<bundle> bundles;
  std::vector<byte> results;  // the codes of all the bundles; see results_of

  byte_span results_of(const bundle& x) const {
    return byte_span(results).subspan(x.first, x.transactions);
  }
  friend bool operator==(const executed_bundles&, const executed_bundles&) = default;
};

/// Leaves of the state tree that changed since the last snapshot, from their home.
struct state_leaves {
  executor_id executor;
  commit_index index;                  // of the snapshot
  std::vector<std::uint16_t> buckets;  // ascending
  std::vector<digest> hashes;          // one for each

  friend bool operator==(const state_leaves&, const state_leaves&) = default;
};

/// How far an executor is.
struct execution_progress {
  executor_id executor;
  commit_index index;                // every sub-DAG up to this one is executed here
  std::uint64_t executed = 0;        // transactions that it was the master of since it started
  commit_index snapshot;             // its newest durable snapshot
  std::optional<digest> state_root;  // from executor 0 only: the root at state_root_index
  commit_index state_root_index;
  std::uint64_t life = 0;  // of its group: a roll-back begins another one, with a higher number

  friend bool operator==(const execution_progress&, const execution_progress&) = default;
};

// -- snapshots, between an executor and the keeper on the validator's storage host

/// Some buckets of an executor's part of a snapshot, to be stored.
struct snapshot_chunk {
  executor_id executor;
  std::uint64_t number = 0;  // of the snapshot
  commit_index index;
  std::uint16_t executors = 0;  // of the group that makes it
  std::uint32_t value_bytes = 0;
  bool first = false, last = false;    // of the executor's part
  std::vector<std::uint16_t> buckets;  // ascending
  std::vector<std::uint32_t> ends;     // where the bytes of each end
  std::vector<std::uint16_t> empty;    // those of them in which no key exists: not stored
  std::vector<char> bytes;

  friend bool operator==(const snapshot_chunk&, const snapshot_chunk&) = default;
};

/// The stored buckets of a snapshot, from `first` on, that are at home at an executor.
struct snapshot_wanted {
  executor_id executor;
  std::uint16_t executors = 0;  // of its group
  commit_index index;           // of the snapshot
  std::uint32_t first = 0;

  friend bool operator==(const snapshot_wanted&, const snapshot_wanted&) = default;
};
struct snapshot_part {
  commit_index index;
  std::uint64_t number = 0;  // of the snapshot; 0: it is not there
  std::uint32_t value_bytes = 0;
  std::uint32_t next = 0;                  // the first bucket that is not in it
  std::vector<std::vector<byte>> buckets;  // as stored: each begins with its number

  friend bool operator==(const snapshot_part&, const snapshot_part&) = default;
};

/// Packed operations: for each transaction u64 account, u16 length, bytes; little-endian. The
/// length `system_operation` marks a system transaction and has no bytes.
inline constexpr std::uint16_t system_operation = 0xffff;
inline constexpr std::size_t packed_operation_head = 10;  // bytes
inline constexpr std::size_t max_operation_bytes = 4096;

}  // namespace flamingo
