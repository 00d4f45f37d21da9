// Protocol parameters: they change votes, orders or states, so they come from the committee file
// only and are equal at all validators. Every one has a unit in its type or name, a default and
// bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace flamingo {

enum class leader_election : std::uint8_t { coin, round_robin };
enum class balancing_rule : std::uint8_t { none, flamingo, proxy };

/// Executors number what exists from genesis on with 32 bits.
inline constexpr std::uint64_t accounts_max = std::uint64_t{1} << 31;

struct protocol_parameters {
  // -- the DAG
  std::uint64_t gc_depth = 50;            // rounds kept behind an anchor; 10..10000
  std::uint64_t round_limit = 4;          // rounds above the current one that a voter takes; 1..100
  std::uint64_t checkpoint_anchors = 50;  // anchors between checkpoints and snapshots; 1..100000
  std::uint32_t max_header_bytes = 1 << 20;  // 1 KiB..16 MiB
  std::uint32_t max_payload_entries = 256;   // batches in a header; 1..4096
  std::uint32_t max_control_records = 64;    // in a header; 1..1024
  leader_election election = leader_election::coin;

  // -- batches and bundles
  std::uint16_t workers = 1;                         // a validator; 1..16
  std::uint32_t max_batch_bytes = 4 << 20;           // 64 KiB..64 MiB
  std::uint32_t max_bundles_per_batch = 512;         // 1..4096
  std::uint32_t max_bundle_bytes = 1 << 20;          // 4 KiB..16 MiB
  std::uint32_t max_transactions_per_bundle = 1000;  // 1..10000
  std::uint64_t bundle_window = 65536;  // sequences above `low` that a client may use; 64..2^20

  // -- execution
  std::uint32_t execution_batch = 1000;  // transactions in an execution batch; 1..100000
  std::string application = "smallbank";
  std::uint64_t accounts = 1000000;  // 1..accounts_max
  std::int64_t genesis_savings_cents = 1000000, genesis_checking_cents = 1000000;

  // -- balancing (design: ordering-layer load balancing). As nothing is decided yet,
  // decision_rounds, migration_cap, min_queue_delay and activation_rounds have no effect
  balancing_rule balancing = balancing_rule::none;
  std::uint64_t decision_rounds = 60;   // rounds between decisions; 10..10000
  std::uint64_t decision_window = 30;   // rounds of signals; 5..1000
  std::uint64_t stability_rounds = 10;  // rounds left out at the frontier; 0..1000
  std::uint64_t migration_cap = 4;      // validators' worth of load; 1..64
  std::chrono::milliseconds min_queue_delay{30};
  std::uint64_t activation_rounds = 2, expiry_rounds = 60;  // D and E of a migration's life
  std::uint64_t period_rounds = 1200;                       // balance period, rounds
};

}  // namespace flamingo
