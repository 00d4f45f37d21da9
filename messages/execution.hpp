// The execution stream as plain values (design: execution-layer load balancing).
#pragma once

#include <cstring>
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
};
std::string_view to_string(result_code x);

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

/// Packed operations: for each transaction u64 account, u16 length, bytes; little-endian. The
/// length `system_operation` marks a system transaction and has no bytes.
inline constexpr std::uint16_t system_operation = 0xffff;
inline constexpr std::size_t packed_operation_head = 10;  // bytes
inline constexpr std::size_t max_operation_bytes = 4096;

}  // namespace flamingo
