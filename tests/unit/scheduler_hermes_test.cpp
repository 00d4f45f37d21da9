// hermes: it may run a batch in any order, but every value is where its plan says.
#include "actors/executor/schedulers/hermes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "actors/executor/schedulers/flamingo.hpp"
#include "tests/unit/scheduler_batches.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

/// Payments between accounts, some of them used by many: one key a transaction, every fifth two.
batch payments(std::mt19937_64& rng, std::size_t count, std::uint32_t slots, unsigned most_keys) {
  batch out(count);
  for (auto& t : out) {
    const auto wanted = rng() % 5 == 0 ? most_keys : (most_keys + 1) / 2;
    while (t.keys.size() < wanted) {
      const auto slot = static_cast<std::uint32_t>(rng() % 4 == 0 ? rng() % 50 : rng() % slots);
      const auto same = [&](slot_access x) { return x.slot() == slot; };
      if (std::none_of(t.keys.begin(), t.keys.end(), same)) t.keys.emplace_back(slot, true);
    }
  }
  return out;
}

}  // namespace

TEST_SUITE("scheduler") {
  TEST_CASE("hermes runs every transaction once and finds every value where its plan says") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      const auto executors = static_cast<std::uint16_t>(1 + rng() % 10);
      const auto slots = static_cast<std::uint32_t>(5 + rng() % 200);
      partition_map map = uneven_map(executors, slots, rng);
      hermes_scheduler scheduler(50);
      CHECK(!scheduler.keeps_order());
      batch_plan plan;
      for (int round = 0; round < 8; ++round) {
        const auto transactions = random_batch(rng, rng() % 120, slots, 6, 3);
        const flat_batch flat(transactions);
        std::vector<std::uint8_t> owner_now;
        for (std::uint32_t slot = 0; slot < slots; ++slot) owner_now.push_back(map.owner(slot));
        scheduler.schedule(flat.at(0), map, plan);
        std::vector<std::uint32_t> each(transactions.size()), sorted = plan.order;
        std::iota(each.begin(), each.end(), 0);
        std::sort(sorted.begin(), sorted.end());
        REQUIRE(sorted == each);
        REQUIRE(plan.masters.size() == transactions.size());
        for (const std::uint32_t t : plan.order) {
          REQUIRE(plan.masters[t] < executors);
          std::uint32_t a = t == 0 ? 0 : flat.ends[t - 1];
          for (const auto key : transactions[t].keys) {
            REQUIRE(plan.holders[a++] == owner_now[key.slot()]);
            if (key.writes()) owner_now[key.slot()] = plan.masters[t];
          }
        }
        for (std::uint32_t slot = 0; slot < slots; ++slot)
          REQUIRE(map.owner(slot) == owner_now[slot]);
      }
    }
  }

  TEST_CASE("hermes keeps the load of every executor within its bound") {
    for (const std::uint16_t executors : {2, 4, 8}) {
      std::mt19937_64 rng(executors);
      partition_map map = uneven_map(executors, 10'000, rng);
      hermes_scheduler scheduler(50);
      batch_plan plan;
      for (int round = 0; round < 10; ++round) {
        const flat_batch flat(payments(rng, 1000, 10'000, 4));
        scheduler.schedule(flat.at(0), map, plan);
        std::vector<std::uint64_t> load(executors, 0);
        for (const auto master : plan.masters) ++load[master];
        for (const auto x : load) CHECK(x <= load_bound(1000, executors, 50));
      }
    }
  }

  TEST_CASE("hermes reads less from other executors than flamingo where keys are shared") {
    for (const unsigned most_keys : {2, 4, 8}) {
      CAPTURE(most_keys);
      std::mt19937_64 rng(most_keys);
      partition_map for_hermes = uneven_map(8, 10'000, rng), for_flamingo = for_hermes;
      hermes_scheduler hermes(50);
      flamingo_scheduler flamingo(50);
      batch_plan plan;
      std::uint64_t by_hermes = 0, by_flamingo = 0;
      for (unsigned round = 0; round < 20; ++round) {
        const flat_batch flat(payments(rng, 1000, 10'000, most_keys));
        hermes.schedule(flat.at(1000 * round), for_hermes, plan);
        by_hermes += remote_reads(flat, plan);
        flamingo.schedule(flat.at(1000 * round), for_flamingo, plan);
        by_flamingo += remote_reads(flat, plan);
      }
      CHECK(by_hermes < by_flamingo);
    }
  }

  TEST_CASE("hermes first runs what needs no value from elsewhere") {
    partition_map map(2);
    for (std::uint16_t b = 0; b < 2; ++b) map.add(b);
    hermes_scheduler scheduler(1000);
    batch_plan plan;
    const flat_batch flat(batch{{{{0, true}, {1, true}}}, {{{1, true}}}, {{{0, true}}}});
    scheduler.schedule(flat.at(0), map, plan);
    CHECK(plan.order == std::vector<std::uint32_t>{1, 2, 0});
    CHECK(remote_reads(flat, plan) == 1);
  }

  TEST_CASE("hermes ends when a transaction is too heavy for every executor") {
    partition_map map(4);
    for (std::uint16_t b = 0; b < 4; ++b) map.add(b);
    hermes_scheduler scheduler(50);
    batch_plan plan;
    const flat_batch flat(batch{{{{0, true}}, 1000}, {{{0, true}, {1, true}}, 999}, {{}, 1}});
    scheduler.schedule(flat.at(0), map, plan);
    CHECK(plan.order.size() == 3);
    CHECK(plan.masters[0] != plan.masters[1]);
  }
}
