// Local parameters: delays, caches, rates. They may differ at every validator and never change a
// vote's verdict, an order, or a state. Every one has a unit in its type or name, a default and
// bounds.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace flamingo {

struct local_parameters {
  // -- worker
  std::uint32_t batch_bytes = 500'000;            // a batch is sealed at this size; 1 KB..4 MB
  std::chrono::milliseconds max_batch_delay{50};  // or after this; 1..200 ms
  std::uint64_t peer_window_bytes = 16 << 20;     // unacknowledged bytes to one peer; 1..1024 MiB
  std::uint64_t client_window_bytes = 8 << 20;  // bundles of one client in the worker; 1..1024 MiB
  std::uint64_t ingress_bytes = 48 << 20;       // bundles of all clients in the worker
  std::chrono::milliseconds max_admission_delay{1000};  // a client whose bundle waits at the door
                                                        // for longer hears busy; 10..600000 ms
  std::uint64_t batch_cache_bytes = 64 << 20;     // batches kept in memory until they are executed
  std::uint64_t min_uncommitted_bytes = 8 << 20;  // own batches without a commit that always may be
  std::uint64_t max_uncommitted_bytes =
      32 << 20;                             // own batches without a commit; of a peer twice that
  std::uint64_t history_bytes = 512 << 20;  // executed batches kept for peers that lack them
  std::chrono::seconds history_retention{600};   // and for how long; 1 s..1 d
  std::uint32_t relay_per_mille = 100;           // share of ingress that relays may take; 0..1000
  std::uint32_t recent_receipts = 10'000;        // kept for queries, a client; 100..10^6
  std::chrono::milliseconds batch_resend{1000};  // unacknowledged batches are sent again after this
  // -- primary
  std::chrono::milliseconds max_header_delay{60};  // a header leaves after this; 1..200 ms
  std::chrono::milliseconds parent_grace{30};      // the most that is waited for late parents
  std::chrono::milliseconds paced_header_delay{
      1000};                                   // the same while nothing commits; 1..60000 ms
  std::uint32_t header_payload_target = 1;     // batches that make a header leave at once; 1..256
  std::uint32_t max_pending_headers = 256;     // deferred headers, of all authors; 100..100000
  std::uint32_t max_available_batches = 4096;  // uncommitted batches known of one author; 64..10^6
  std::uint32_t max_evidence = 16;  // equivocations of one author kept with their bytes; 1..1000
  // -- certificate aggregator
  std::chrono::milliseconds header_resend{500};     // first back-off of an uncertified header
  std::uint32_t max_headers_of_author = 32;         // uncertified ones that are kept; 8..1000
  std::uint32_t max_pending_certificates = 10'000;  // waiting for ancestors; 100..10^6
  std::chrono::milliseconds fetch_delay{50};        // before what is missing is asked for
  std::chrono::milliseconds fetch_retry{200};       // another source is asked after this
  std::uint32_t max_fetches = 256;                  // outstanding at once (and as many of what only
                                                    // uncertified headers name); 1..10000
  std::uint64_t range_rounds = 20;                  // asked for at once when far behind; 2..100
  std::uint32_t served_per_second = 4000;  // certified headers that one peer may fetch; 10..10^6
  std::uint64_t history_rounds = 3000;     // kept below the floor for who is behind, orphans too
  // -- committer
  std::uint64_t stream_window = 64;       // sub-DAGs sent ahead of the slowest executor; 1..1000
  std::uint64_t commit_retention = 1000;  // newest commits that are always kept; 1..10^6
  std::uint64_t index_cache_bundles = 200'000;  // of batches not committed yet; 1000..10^7
  // -- checkpointer
  std::uint64_t checkpoint_bytes_per_second = 32 << 20;  // that one peer may fetch; 64 KiB..1 GiB
  // -- executor
  std::uint16_t executors = 2;  // of the group at first; `flamingo executor` changes it; 1..10
  std::uint32_t slack_per_mille = 50;  // of load, above the mean, that one may get; 0..1000
  std::string scheduler = "static";    // who runs what: static, pilotfish, flamingo[-paper]
  std::uint64_t max_lag = 200;         // sub-DAGs the executors may be behind before new
                                       // client payload is refused; 10..10000
  std::chrono::milliseconds max_execution_delay{1000};  // bundles wait at the door while a commit
                                                        // waits for longer; 10..600000 ms
  std::uint64_t max_lead = 16;  // sub-DAGs an executor may be ahead of the slowest one; 1..1000
  std::uint32_t max_waiting_steps = 50'000;      // transactions that wait for values; 1000..10^7
  std::uint64_t max_waiting_sub_dags = 256;      // of the stream, not begun; 16..10000
  std::uint64_t max_waiting_bytes = 128 << 20;   // their operations; 1..4096 MiB
  std::chrono::milliseconds stream_retry{2000};  // a gap in the stream is asked for after this
  std::uint32_t snapshot_chunk = 4096;           // buckets hashed and written at once; 64..65536
};

}  // namespace flamingo
