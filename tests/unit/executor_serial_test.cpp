// Whatever the number of executors and the order in which they hear each other, the state and the
// results are those of the serial execution of the committed stream.
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

TEST_SUITE("executor") {
  TEST_CASE("one executor executes the stream serially") {
    stream_source source({.seed = 7});
    executor_group group({.executors = 1}, source);
    group.run(30);
    group.check_equal_to_serial();
    CHECK(group.at(0).executed() == commit_index{30});
    CHECK(group.at(0).counts().executed == source.position().value);
    CHECK(group.at(0).counts().values_pushed == 0);
    CHECK(group.rejected == 0);
  }

  TEST_CASE("any number of executors gives the serial result") {
    for (unsigned seed = 1; seed <= 120; ++seed) {
      CAPTURE(seed);
      std::mt19937 rng(seed);
      stream_source source({.seed = seed,
                            .accounts = 1 + rng() % 300,
                            .keyset = seed % 2 == 0,
                            .two_account_percent = static_cast<unsigned>(rng() % 101)});
      executor_group group({.executors = static_cast<std::uint16_t>(1 + rng() % 10),
                            .batch_transactions = static_cast<std::uint32_t>(1 + rng() % 60),
                            .seed = seed + 1000,
                            .max_lead = 1 + rng() % 6,
                            .scheduler = seed % 3 == 0 ? "static" : "flamingo"},
                           source);
      group.run(25);
      group.check_equal_to_serial();
      CHECK(group.rejected == 0);
      for (std::uint16_t i = 0; i < group.size(); ++i) {
        CHECK(group.at(i).executed() == commit_index{25});
        CHECK(group.at(i).steps_waiting() == 0);
        CHECK(group.at(i).early_frames() == 0);
      }
    }
  }
}
