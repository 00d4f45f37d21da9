// pilotfish: keys stay where they are, and transactions run anywhere.
#include "actors/executor/schedulers/pilotfish.hpp"

#include <doctest/doctest.h>

#include "tests/unit/scheduler_batches.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

TEST_SUITE("scheduler") {
  TEST_CASE("pilotfish never moves a key and asks its owner for it") {
    std::mt19937_64 rng(5);
    partition_map map = uneven_map(5, 300, rng);
    const partition_map before = map;
    pilotfish_scheduler scheduler;
    CHECK(!scheduler.writes_stay());
    CHECK(scheduler.pulls());
    CHECK(scheduler.keeps_order());
    batch_plan plan;
    for (std::uint64_t round = 0; round < 20; ++round) {
      const flat_batch flat(random_batch(rng, 100, 300, 5, 3));
      scheduler.schedule(flat.at(100 * round), map, plan);
      REQUIRE(plan.holders.size() == flat.accesses.size());
      for (std::size_t a = 0; a < flat.accesses.size(); ++a)
        CHECK(plan.holders[a] == before.owner(flat.accesses[a].slot()));
      for (std::uint32_t slot = 0; slot < 300; ++slot) CHECK(map.owner(slot) == before.owner(slot));
    }
  }

  TEST_CASE("pilotfish spreads transactions evenly wherever their keys are") {
    for (const std::uint16_t executors : {1, 2, 3, 8, 10}) {
      CAPTURE(executors);
      std::mt19937_64 rng(executors);
      partition_map map(executors);
      for (int i = 0; i < 100; ++i) map.add(0);  // all keys are at executor 0
      pilotfish_scheduler scheduler;
      batch_plan plan;
      std::vector<std::uint64_t> load(executors, 0);
      for (std::uint64_t round = 0; round < 50; ++round) {
        const flat_batch flat(random_batch(rng, 1000, 100, 2, 1));
        scheduler.schedule(flat.at(1000 * round), map, plan);
        REQUIRE(plan.masters.size() == 1000);
        for (const auto master : plan.masters) ++load.at(master);
      }
      for (const auto x : load) {
        CHECK(x >= 50'000u / executors * 97 / 100);
        CHECK(x <= 50'000u / executors * 103 / 100 + 1);
      }
    }
  }
}
