// Whole validators, one of which crashes again and again: what its peers got of it and it lost
// itself does not stay with them for ever.
#include <doctest/doctest.h>

#include <set>

#include "storage/kv.hpp"
#include "tests/sim/client_fleet.hpp"
#include "tests/sim/world.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using namespace std::chrono_literals;

/// Others' batches in the store of `v` that no commit has output.
std::size_t uncommitted(world& in, validator_id v) {
  using storage::key;
  constexpr std::size_t head = 3, number = 8;  // worker and kind; commit index
  const auto keys_of = [&](char kind, std::size_t skipped) {
    std::set<std::vector<byte>> out;
    const auto first = key::of(worker_id{0}, static_cast<byte>(kind));
    in.platter(v).scan(storage::table::batches, first, first.prefix_end(),
                       [&](byte_span at, byte_span) {
                         if (storage::number_at<std::uint16_t>(at, skipped) != v.value)
                           out.emplace(at.begin() + static_cast<std::ptrdiff_t>(skipped), at.end());
                         return true;
                       });
    return out;
  };
  std::size_t count = 0;
  const auto committed = keys_of('c', head + number);
  for (const auto& x : keys_of('a', head)) count += !committed.contains(x);
  return count;
}

/// How many are left in all stores after a time without load.
std::size_t left_after_crashes(std::uint64_t history_rounds) {
  const validator_id frail{3};
  world_options with;
  with.seed = 5;
  with.protocol.gc_depth = 10;
  with.history_rounds = history_rounds;
  with.local = world_options::locals::usual;
  with.sync_min = 60ms;  // a batch is with the peers before it is on the own disk
  with.sync_max = 80ms;
  client::settings load;
  load.rate = 200;
  load.transactions_per_bundle = 5;
  load.outstanding_bundles = 500;
  load.give_up = 3600s;
  world x(with);
  client_fleet clients(x, std::vector(with.clients, load));
  for (std::uint16_t v = 0; v < with.validators; ++v) x.start(validator_id{v});
  clients.start();
  for (int i = 0; i < 8; ++i) {
    x.run_for(700ms);
    x.crash(frail);
    x.run_for(100ms);
    x.start(frail);
  }
  clients.stop_load();
  x.run_for(15s);
  CHECK(x.failures().empty());
  std::size_t count = 0;
  for (std::uint16_t v = 0; v < with.validators; ++v) count += uncommitted(x, validator_id{v});
  return count;
}

TEST_CASE("what a crashed author forgot leaves the stores of its peers") {
  CHECK(left_after_crashes(1'000'000) > 0);
  CHECK(left_after_crashes(0) == 0);
}

}  // namespace
