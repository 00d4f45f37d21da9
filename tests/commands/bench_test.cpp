// The benchmarks' loads and what they print; how fast anything is, no test asserts.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "apps/flamingo/bench/key_sets.hpp"
#include "apps/flamingo/bench/scheduler_bench.hpp"
#include "tests/commands/command_run.hpp"
#include "tests/commands/temporary_directory.hpp"

using namespace flamingo;
using namespace flamingo::bench;
using testing::flamingo_run;
using testing::one_line;

namespace {

constexpr std::uint32_t accounts = 20'000;

std::vector<std::uint8_t> homes_among(std::uint16_t executors) {
  std::vector<std::uint8_t> out;
  for (std::uint32_t a = 0; a < accounts; ++a)
    out.push_back(static_cast<std::uint8_t>(a % executors));
  return out;
}

/// What a load is made of, over 100 batches, per 1000 transactions.
struct shares {
  double keys = 0, first = 0, distributed = 0, readers = 0, repeated = 0;
};

shares shares_of(const key_set_load& load) {
  const auto homes = homes_among(load.executors);
  key_sets stream(load, homes);
  shares out;
  double keys = 0;
  for (int i = 0; i < 100; ++i) {
    const auto batch = stream.next();
    REQUIRE(batch.ends.size() == 1000);
    REQUIRE(batch.first.value == 1000u * static_cast<unsigned>(i));
    std::set<std::uint32_t> of_batch;
    std::uint32_t a = 0;
    for (const std::uint32_t end : batch.ends) {
      out.first += homes[batch.accesses[a].slot()] == 0;
      out.readers += !batch.accesses[a].writes();
      std::set<std::uint8_t> where;
      std::set<std::uint32_t> own;
      for (; a < end; ++a) {
        where.insert(homes[batch.accesses[a].slot()]);
        REQUIRE(own.insert(batch.accesses[a].slot()).second);
        out.repeated += !of_batch.insert(batch.accesses[a].slot()).second;
      }
      out.distributed += where.size() == 2;
      REQUIRE(where.size() <= 2);
      keys += static_cast<double>(own.size());
    }
  }
  out.repeated /= keys / 1000;
  out.keys = keys / 100'000;
  for (double* x : {&out.first, &out.distributed, &out.readers}) *x /= 100;
  return out;
}

}  // namespace

TEST_SUITE("bench") {
  TEST_CASE(
      "a load has the keys, the skew and the distributed transactions that it was asked for") {
    const shares light = shares_of({.distributed_percent = 20});
    CHECK(light.keys == doctest::Approx(1.2).epsilon(0.02));
    CHECK(light.first == doctest::Approx(500).epsilon(0.02));
    CHECK(light.distributed == doctest::Approx(200).epsilon(0.05));
    CHECK(light.readers == doctest::Approx(1000.0 / 7).epsilon(0.05));
    const shares heavy = shares_of({.transactions = weight::heavy, .distributed_percent = 50});
    CHECK(heavy.keys == 16);
    CHECK(heavy.distributed == doctest::Approx(500).epsilon(0.05));
    CHECK(shares_of({.executors = 1, .distributed_percent = 100}).keys == 2);
    CHECK(shares_of({.transactions = weight::medium}).distributed == 0);
  }

  TEST_CASE("the more overlap a load has the more keys are touched again") {
    const double none = shares_of({.transactions = weight::medium}).repeated;
    const double half = shares_of({.transactions = weight::medium, .overlap_percent = 50}).repeated;
    const double most = shares_of({.transactions = weight::medium, .overlap_percent = 90}).repeated;
    CHECK(half > none + 200);
    CHECK(most > half + 200);
  }

  TEST_CASE("one executor reads nothing remotely and speeds nothing up") {
    for (const auto& x : measure({"static", "pilotfish", "hermes", "flamingo", "flamingo-paper"},
                                 {.executors = 1, .distributed_percent = 20}, accounts, 3)) {
      CAPTURE(x.scheduler);
      CHECK(x.remote_reads == 0);
      CHECK(x.load_max_over_mean == 1);
      for (const double s : x.speedup) CHECK(s == 1);
    }
  }

  TEST_CASE(
      "flamingo is balanced where half of the load starts on one executor and static is not") {
    for (const unsigned distributed : {0u, 20u}) {
      const auto results =
          measure({"static", "pilotfish", "flamingo"},
                  {.executors = 8, .distributed_percent = distributed}, accounts, 20);
      CHECK(results[0].speedup[0] < 2.2);
      CHECK(results[2].speedup[0] >= 7.5);
      for (std::size_t c = 0; c < remote_read_costs.size(); ++c)
        CHECK(results[2].speedup[c] > results[1].speedup[c]);
      CHECK(results[2].remote_reads < results[1].remote_reads);
    }
  }

  TEST_CASE(
      "the scheduler benchmark prints a line for each result and cost, and writes them as CSV") {
    testing::temporary_directory dir;
    const auto csv = dir.path() / "out.csv";
    const auto used =
        flamingo_run({"bench", "scheduler", "--schedulers", "hermes,flamingo", "--executors", "2,4",
                      "--weights", "light", "--overlaps", "50", "--distributed", "20", "--accounts",
                      "10000", "--batches", "2", "--json", "--csv", csv.string()});
    CHECK(used.err == "");
    CHECK(used.code == 0);
    std::istringstream lines(used.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto x = nlohmann::json::parse(line);
      std::set<std::string> keys;
      for (const auto& [key, value] : x.items()) keys.insert(key);
      CHECK(keys == std::set<std::string>{"scheduler", "m", "weight", "overlap", "distributed",
                                          "us_per_1000", "remote_reads", "load_max_over_mean", "c",
                                          "speedup"});
      CHECK(x["us_per_1000"]["p50"] > 0);
      CHECK(x["us_per_1000"]["p99"] >= x["us_per_1000"]["p50"]);
      CHECK(x["overlap"] == 50);
    }
    CHECK(count == 2 * 2 * 3);
    std::istringstream rows(testing::content_of(csv));
    int all = 0;
    for (std::string row; std::getline(rows, row); ++all)
      CHECK(std::count(row.begin(), row.end(), ',') == 10);
    CHECK(all == 1 + count);
  }

  TEST_CASE("the scheduler benchmark shows a table to people") {
    const auto used =
        flamingo_run({"bench", "scheduler", "--executors", "2", "--weights", "medium", "--overlaps",
                      "0", "--distributed", "0", "--accounts", "10000", "--batches", "1"});
    CHECK(used.code == 0);
    for (const std::string part :
         {"remote reads", "max/mean", "static", "pilotfish", "hermes", "flamingo-paper", "medium"})
      CHECK(used.out.find(part) != std::string::npos);
  }

  TEST_CASE("wrong options of a benchmark are refused in one line") {
    for (const auto& [args, part] :
         {std::pair<std::vector<std::string>, std::string>{{"--schedulers", "lottery"}, "lottery"},
          {{"--weights", "huge"}, "huge"},
          {{"--executors", "0"}, "found \"0\""},
          {{"--executors", "2,65"}, "found \"65\""},
          {{"--overlaps", "101"}, "found \"101\""}}) {
      std::vector<std::string> all{"bench", "scheduler"};
      all.insert(all.end(), args.begin(), args.end());
      const auto used = flamingo_run(all);
      CHECK(used.code == 2);
      CHECK(one_line(used.err));
      CHECK_MESSAGE(used.err.find(part) != std::string::npos, used.err);
    }
    const auto used = flamingo_run({"bench", "scheduler", "--csv", "/nowhere/at/all.csv"});
    CHECK(used.code == 1);
    CHECK(one_line(used.err));
    CHECK(flamingo_run({"bench"}).code == 2);
  }
}
