// static: a transaction runs at the home of its first key.
#include "actors/executor/schedulers/static.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace flamingo;
using namespace flamingo::executor;

TEST_SUITE("scheduler") {
  TEST_CASE("static runs a transaction at the home of its first key and never moves a key") {
    std::mt19937 rng(4);
    partition_map map(3);
    for (int i = 0; i < 100; ++i) map.add(static_cast<std::uint16_t>(rng()));
    const auto scheduler = make_scheduler("static");
    REQUIRE(scheduler);
    CHECK(!scheduler->writes_stay());
    batch_plan plan;
    for (int round = 0; round < 10; ++round) {
      std::vector<slot_access> accesses;
      std::vector<std::uint32_t> ends;
      std::vector<std::uint16_t> costs;
      for (int t = 0; t < 50; ++t) {
        for (auto keys = rng() % 4; keys > 0; --keys)
          accesses.emplace_back(rng() % 100, rng() % 2 == 0);
        ends.push_back(static_cast<std::uint32_t>(accesses.size()));
        costs.push_back(1);
      }
      const partition_map before = map;
      scheduler->schedule({stream_position{0}, accesses, ends, costs}, map, plan);
      REQUIRE(plan.masters.size() == ends.size());
      REQUIRE(plan.holders.size() == accesses.size());
      std::uint32_t first = 0;
      for (std::size_t t = 0; t < ends.size(); ++t) {
        if (first < ends[t])
          CHECK(plan.masters[t] == before.owner(accesses[first].slot()));
        else
          CHECK(plan.masters[t] == t % 3);
        first = ends[t];
      }
      for (std::size_t a = 0; a < accesses.size(); ++a)
        CHECK(plan.holders[a] == before.owner(accesses[a].slot()));
      for (std::uint32_t slot = 0; slot < 100; ++slot) CHECK(map.owner(slot) == before.owner(slot));
    }
  }

  TEST_CASE("a scheduler that does not exist is not made") {
    CHECK(!make_scheduler("lottery"));
    CHECK(!make_scheduler(""));
  }

  TEST_CASE("homes are spread by bucket") {
    partition_map map(4);
    for (std::uint32_t b = 0; b < 16; ++b) map.add(static_cast<std::uint16_t>(b));
    for (std::uint32_t slot = 0; slot < 16; ++slot) CHECK(map.owner(slot) == slot % 4);
  }
}
