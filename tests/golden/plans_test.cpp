// The plans of a fixed pseudo-random stream, frozen as digests in tests/golden/plans.txt: executors
// of one group plan alone, so what compiler, process and machine they run must not matter. How to
// change them on purpose is in frozen.hpp. ./run check fuzz compiles this by clang, too.
#include <doctest/doctest.h>

#include <fstream>
#include <map>

#include "crypto/hash.hpp"
#include "crypto/hex.hpp"
#include "tests/golden/hex_file.hpp"
#include "tests/unit/scheduler_batches.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::executor;

/// SHA-256 over the masters, holders and order of 60 batches, small and large, of cheap and costly
/// transactions of up to eight keys, whose positions pass 2^32.
std::string digest_of_plans(const std::string& scheduler, std::uint16_t executors) {
  std::mt19937_64 random(executors);
  partition_map map = test::uneven_map(executors, 3000, random);
  const auto plans = make_scheduler(scheduler);
  REQUIRE(plans);
  batch_plan plan;
  std::vector<byte> all;
  std::uint64_t position = 0xffffffff - 20'000;
  for (int round = 0; round < 60; ++round) {
    const auto count = round % 2 == 0 ? 1000 : 1 + random() % 100;
    const test::flat_batch batch(test::random_batch(random, count, 3000, 1 + random() % 8,
                                                    static_cast<std::uint16_t>(1 + round % 4)));
    plans->schedule(batch.at(position), map, plan);
    position += count;
    all.insert(all.end(), plan.masters.begin(), plan.masters.end());
    all.insert(all.end(), plan.holders.begin(), plan.holders.end());
    for (const std::uint32_t t : plan.order) {
      all.push_back(static_cast<byte>(t));
      all.push_back(static_cast<byte>(t >> 8));
    }
  }
  return crypto::to_hex(crypto::hash({byte_span(all)}));
}

}  // namespace

TEST_SUITE("golden plans") {
  TEST_CASE("a stream gives the frozen plans under every scheduler") {
    std::map<std::string, std::string> now;
    for (const std::string scheduler :
         {"static", "pilotfish", "hermes", "flamingo", "flamingo-paper"})
      for (const std::uint16_t executors : {1, 2, 3, 8, 10})
        now[scheduler + "_" + std::to_string(executors)] = digest_of_plans(scheduler, executors);
    const auto file = folder() / "plans.txt";
    if (writing()) {
      std::ofstream out(file);
      for (const auto& [name, hex] : now) out << name << ' ' << hex << '\n';
    }
    std::map<std::string, std::string> before;
    std::ifstream in(file);
    for (std::string name, hex; in >> name >> hex;) before[name] = hex;
    CHECK(before.size() == now.size());
    for (const auto& plans : now) {
      CAPTURE(plans.first);
      REQUIRE(before.contains(plans.first));
      CHECK(before.at(plans.first) == plans.second);
    }
  }
}

}  // namespace flamingo::golden
