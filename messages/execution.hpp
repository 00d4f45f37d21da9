// The execution stream as plain values (design: execution-layer load balancing).
#pragma once

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
};
std::string_view to_string(result_code x);

/// Whether the transaction changed the state as it asked to.
constexpr bool succeeded(result_code x) {
  return x == result_code::applied || x == result_code::overdrawn;
}
/// Whether a byte from a message is a result code.
constexpr bool is_result_code(byte x) {
  return x <= static_cast<byte>(result_code::overdrawn);
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

/// One committed sub-DAG after the sequencer: the unit that workers and executors get.
struct sequenced_sub_dag {
  commit_index index;
  round_number anchor_round;
  digest anchor;
  stream_position first_position;  // of its first fresh transaction
  bool snapshot = false;           // executors take a snapshot at its end
  std::vector<sequenced_batch> batches;
  digest chain;
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

  friend bool operator==(const pushed_values&, const pushed_values&) = default;
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

  friend bool operator==(const execution_progress&, const execution_progress&) = default;
};

/// Packed operations: for each transaction u64 account, u16 length, bytes; little-endian. The
/// length `system_operation` marks a system transaction and has no bytes.
inline constexpr std::uint16_t system_operation = 0xffff;
inline constexpr std::size_t packed_operation_head = 10;  // bytes
inline constexpr std::size_t max_operation_bytes = 4096;

}  // namespace flamingo
