// Executors that join and leave while the stream goes on, and groups that crash around it: the
// state and the results are those of the serial execution.
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

/// A stream and a group, all from a seed.
struct random_run {
  std::mt19937 rng;
  stream_source source;
  executor_group group;

  explicit random_run(unsigned seed)
      : rng(seed),
        source({.seed = seed,
                .accounts = 1 + rng() % 300,
                .keyset = seed % 2 == 0,
                .two_account_percent = static_cast<unsigned>(rng() % 101),
                .snapshot_every = rng() % 3 == 0 ? 0 : 1 + rng() % 5}),
        group({.executors = static_cast<std::uint16_t>(1 + rng() % 10),
               .batch_transactions = static_cast<std::uint32_t>(1 + rng() % 60),
               .seed = seed + 1000,
               .max_lead = 1 + rng() % 6,
               .scheduler = seed % 3 == 0 ? "static" : "flamingo",
               .slow = static_cast<std::uint16_t>(rng() % 10)},
              source) {}

  std::uint16_t some_size() { return static_cast<std::uint16_t>(1 + rng() % 10); }

  void check_finished() {
    CAPTURE(group.group().executors);
    group.check_equal_to_serial();
    CHECK(group.rejected == 0);
    for (std::uint16_t i = 0; i < group.size(); ++i) {
      CAPTURE(i);
      CHECK(group.at(i).executed() == group.at(0).executed());
      CHECK(group.at(i).steps_waiting() == 0);
      CHECK(group.at(i).early_frames() == 0);
      CHECK(group.at(i).group() == group.at(0).group());
    }
  }
};

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("executors that join and leave anywhere give the serial result") {
    for (unsigned seed = 1; seed <= 150; ++seed) {
      CAPTURE(seed);
      random_run x(seed);
      for (int changes = 0; changes < 6; ++changes) {
        x.group.run_in_part(x.rng() % 8);
        x.group.change_to(x.some_size());
      }
      x.group.run(10);
      x.check_finished();
      CHECK(x.group.at(0).group() == x.group.group());
    }
  }

  TEST_CASE("a group that crashes around joins and leaves ends as if it had not") {
    std::uint64_t restored = 0;
    for (unsigned seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      random_run x(seed);
      for (int steps = 0; steps < 8; ++steps) {
        x.group.run_in_part(x.rng() % 7);
        if (x.rng() % 2 == 0) x.group.change_to(x.some_size());
        if (x.rng() % 2 == 0) continue;
        x.group.crash();
        if (x.group.disk().newest()) ++restored;
      }
      x.group.run(10);
      x.check_finished();
    }
    CHECK(restored > 60);
  }

  TEST_CASE("the state root does not depend on who joined and left") {
    for (const bool keyset : {false, true}) {
      std::map<std::uint64_t, digest> first;
      for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        stream_source source({.seed = 11, .accounts = 150, .keyset = keyset, .snapshot_every = 3});
        executor_group group({.executors = 2, .seed = seed, .scheduler = "flamingo"}, source);
        for (int i = 0; i < 6; ++i) {
          if (seed > 1) group.change_to(static_cast<std::uint16_t>(1 + (seed * 7 + i * 3) % 10));
          group.run(2);
        }
        REQUIRE(group.roots.size() == 4);
        if (first.empty()) first = group.roots;
        CHECK(group.roots == first);
      }
    }
  }

  TEST_CASE("who joins begins with nothing and gets its share of the load at once") {
    stream_source source({.seed = 3, .accounts = 5000, .bad_percent = 0, .max_bundle = 200});
    executor_group group({.executors = 2, .batch_transactions = 100, .scheduler = "flamingo"},
                         source);
    group.run(10);
    group.change_to(4);
    const std::uint64_t before = source.position().value;
    group.run(40);
    group.check_equal_to_serial();
    const std::uint64_t mean = (source.position().value - before) / 4;
    for (const std::uint16_t who : {2, 3}) {
      CHECK(group.at(who).counts().executed > mean * 8 / 10);
      CHECK(group.at(who).counts().executed < mean * 12 / 10);
    }
  }
}
