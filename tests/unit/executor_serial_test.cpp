// Whatever the number of executors and the order in which they hear each other, the state and the
// results are those of the serial execution of the committed stream.
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

struct random_load {
  bool keyset = false;
  unsigned distributed_percent = 0;
  std::uint64_t batches = 2500;  // execution batches, at least, for each scheduler
};

/// One group after another, of random size, whose executors hear of each other in random order, one
/// of them mostly late. A failing seed is printed.
void run_random_batches(const random_load& load) {
  for (const std::string scheduler : {"flamingo", "flamingo-paper", "pilotfish", "static"}) {
    CAPTURE(scheduler);
    std::uint64_t batches = 0, shared = 0;
    for (unsigned seed = 1; batches < load.batches; ++seed) {
      CAPTURE(seed);
      std::mt19937 rng(seed);
      const auto executors = static_cast<std::uint16_t>(1 + rng() % 10);
      stream_source source({.seed = seed,
                            .accounts = 1 + rng() % 300,
                            .keyset = load.keyset,
                            .two_account_percent = load.distributed_percent,
                            .shards = executors});
      executor_group group({.executors = executors,
                            .batch_transactions = static_cast<std::uint32_t>(1 + rng() % 60),
                            .seed = seed + 1000,
                            .max_lead = 1 + rng() % 6,
                            .scheduler = scheduler,
                            .slow = static_cast<std::uint16_t>(rng() % 12)},
                           source);
      group.run(25);
      group.check_equal_to_serial();
      CHECK(group.rejected == 0);
      for (std::uint16_t i = 0; i < group.size(); ++i) {
        CHECK(group.at(i).executed() == commit_index{25});
        CHECK(group.at(i).steps_waiting() == 0);
        CHECK(group.at(i).early_frames() == 0);
        shared += group.at(i).counts().remote_reads;
      }
      batches += group.at(0).counts().batches;
    }
    const bool none = scheduler == "static" && load.distributed_percent == 0;
    CHECK((none ? shared == 0 : shared > load.batches / 2));
  }
}

}  // namespace

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

  TEST_CASE("SmallBank within shards gives the serial result for any number of executors") {
    run_random_batches({.keyset = false, .distributed_percent = 0});
  }
  TEST_CASE(
      "SmallBank with a fifth distributed gives the serial result for any number of executors") {
    run_random_batches({.keyset = false, .distributed_percent = 20});
  }
  TEST_CASE("key sets within shards give the serial result for any number of executors") {
    run_random_batches({.keyset = true, .distributed_percent = 0});
  }
  TEST_CASE(
      "key sets with a fifth distributed give the serial result for any number of executors") {
    run_random_batches({.keyset = true, .distributed_percent = 20});
  }
  TEST_CASE("any mix of transactions gives the serial result for any number of executors") {
    run_random_batches({.keyset = false, .distributed_percent = 100, .batches = 500});
    run_random_batches({.keyset = true, .distributed_percent = 100, .batches = 500});
  }
}
