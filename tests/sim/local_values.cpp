#include "tests/sim/local_values.hpp"

namespace flamingo::sim {

namespace {

using std::chrono::milliseconds;

milliseconds ms(random_source& random, std::uint64_t first, std::uint64_t last) {
  return milliseconds(random.between(first, last));
}

}  // namespace

local_parameters other_delays(random_source& random) {
  local_parameters x;
  x.batch_bytes = static_cast<std::uint32_t>(random.between(2'000, 500'000));
  x.max_batch_delay = ms(random, 5, 200);
  x.max_header_delay = ms(random, 20, 200);
  x.parent_grace = ms(random, 1, 30);
  x.header_resend = ms(random, 200, 1000);
  x.fetch_retry = ms(random, 50, 500);
  x.batch_resend = ms(random, 300, 1500);
  x.executors = static_cast<std::uint16_t>(random.between(1, 4));
  return x;
}

local_parameters small_values(random_source& random) {
  constexpr std::uint64_t mib = 1 << 20;
  local_parameters x = other_delays(random);
  const auto maybe = [&](auto& value, std::uint64_t first, std::uint64_t last) {
    const auto drawn = random.between(first, last);
    if (random.chance(500)) value = static_cast<std::remove_reference_t<decltype(value)>>(drawn);
  };
  maybe(x.batch_bytes, 1'000, 5'000);
  maybe(x.max_batch_delay, 1, 5);
  maybe(x.peer_window_bytes, mib, mib);
  maybe(x.client_window_bytes, mib, mib);
  maybe(x.ingress_bytes, mib, mib);
  maybe(x.batch_cache_bytes, mib, mib);
  maybe(x.max_uncommitted_bytes, mib, mib);
  maybe(x.history_bytes, 0, mib);
  maybe(x.history_retention, 1, 2);
  maybe(x.relay_per_mille, 20, 100);  // at 0 nobody speaks for the clients of a bad assignee
  maybe(x.recent_receipts, 100, 200);
  maybe(x.batch_resend, 100, 300);
  maybe(x.max_header_delay, 1, 20);
  maybe(x.parent_grace, 0, 200);
  maybe(x.paced_header_delay, 1, 100);
  maybe(x.header_payload_target, 1, 256);
  maybe(x.max_pending_headers, 100, 100);
  maybe(x.max_available_batches, 64, 64);
  maybe(x.max_evidence, 1, 2);
  maybe(x.header_resend, 100, 200);
  maybe(x.max_headers_of_author, 8, 8);
  maybe(x.max_pending_certificates, 100, 100);
  maybe(x.fetch_delay, 0, 300);
  maybe(x.fetch_retry, 50, 2000);
  maybe(x.max_fetches, 1, 4);
  maybe(x.range_rounds, 2, 4);
  maybe(x.served_per_second, 100, 500);
  maybe(x.history_rounds, 0, 20);
  maybe(x.stream_window, 1, 3);
  maybe(x.commit_retention, 1, 20);
  maybe(x.index_cache_bundles, 1'000, 1'000);
  maybe(x.checkpoint_bytes_per_second, 256 << 10, mib);
  maybe(x.max_lag, 10, 20);
  maybe(x.max_execution_delay, 10, 100);
  maybe(x.max_lead, 1, 2);
  maybe(x.max_waiting_steps, 1'000, 1'000);
  maybe(x.max_waiting_sub_dags, 16, 16);
  maybe(x.max_waiting_bytes, mib, mib);
  maybe(x.stream_retry, 100, 500);
  maybe(x.snapshot_chunk, 64, 256);
  // Nothing is drawn for what came later: a seed goes on meaning what it meant.
  x.max_admission_delay = x.max_execution_delay;
  // Who joins needs what was committed while the state was on its way: not both may be little.
  if (x.checkpoint_bytes_per_second <= mib) {
    x.history_bytes = local_parameters{}.history_bytes;
    x.history_retention = local_parameters{}.history_retention;
  }
  const auto scheduler = random.below(1000);
  x.scheduler = scheduler < 500 ? "flamingo" : scheduler < 750 ? "pilotfish" : "static";
  return x;
}

}  // namespace flamingo::sim
