// The executor's shell: a group of them answers as the serial execution does, its snapshots count
// when they are durable, and a restart goes on from the newest one.
#include <doctest/doctest.h>

#include "tests/actors/executor_bench.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;
using namespace std::chrono_literals;

TEST_SUITE("executor actor") {
  TEST_CASE("a group of executors answers as the serial execution does") {
    for (const std::uint16_t executors : {1, 2, 5}) {
      CAPTURE(executors);
      executor_bench b(executors, {.seed = executors});
      b.boot();
      CHECK(b.replays.size() == executors);
      CHECK(b.progress.size() == executors);
      CHECK(b.told_before_asked == 0);  // of a life that has not asked the committer hears nothing
      for (int i = 0; i < 15; ++i) b.commit();
      CHECK(b.answers == b.source.answers());
      CHECK(b.answers_to_wrong_worker == 0);
      std::uint64_t executed = 0;
      for (std::uint16_t i = 0; i < executors; ++i) {
        CHECK(b.last_progress(i).index == commit_index{15});
        executed += b.last_progress(i).executed;
      }
      CHECK(executed == b.source.position().value);
      CHECK(b.failures.empty());
    }
  }

  TEST_CASE("a snapshot counts only when it is durable") {
    executor_bench b(2, {.seed = 5, .snapshot_every = 3});
    b.boot();
    for (int i = 0; i < 4; ++i) b.commit();
    CHECK(b.store->pending() > 0);
    CHECK(b.last_progress(0).snapshot == commit_index{0});
    CHECK(b.last_progress(0).index == commit_index{4});  // the stream does not wait for the disk
    b.sync_all();
    CHECK(b.last_progress(0).snapshot == commit_index{3});
    CHECK(b.last_progress(1).snapshot == commit_index{3});
    REQUIRE(b.last_progress(0).state_root);
    CHECK(b.last_progress(0).state_root_index == commit_index{3});
    CHECK(!b.last_progress(1).state_root);
  }

  TEST_CASE("a snapshot counts only when the workers have stored the results before it") {
    executor_bench b(2, {.seed = 5, .snapshot_every = 3});
    b.lagging = {0, 1};
    b.boot();
    for (int i = 0; i < 4; ++i) b.commit();
    b.sync_all();
    for (const std::uint16_t worker : {0, 1}) {
      REQUIRE(b.outcomes_asked[worker].size() == 2);  // by each executor
      CHECK(b.outcomes_asked[worker][0].first == commit_index{3});
      CHECK(b.last_progress(0).snapshot == commit_index{0});
      CHECK(!find_snapshot(*b.store));
      b.catch_up(worker);
      b.sync_all();
    }
    CHECK(b.last_progress(0).snapshot == commit_index{3});
    CHECK(b.last_progress(1).snapshot == commit_index{3});
    CHECK(find_snapshot(*b.store)->index == commit_index{3});
  }

  TEST_CASE("the stream waits at a snapshot while the one before is not durable everywhere") {
    executor_bench b(2, {.seed = 5, .snapshot_every = 2});
    b.boot();
    for (int i = 0; i < 7; ++i) b.commit();
    CHECK(b.last_progress(0).index == commit_index{4});
    b.sync_all();
    CHECK(b.last_progress(0).index == commit_index{7});
    CHECK(b.last_progress(1).snapshot == commit_index{6});
    CHECK(b.answers == b.source.answers());
  }

  TEST_CASE("a restarted group goes on from its newest snapshot and reports the same roots") {
    for (const std::uint16_t after : {2, 3}) {  // executors after the restart
      CAPTURE(after);
      executor_bench b(2, {.seed = 8, .keyset = true, .snapshot_every = 4});
      b.boot();
      for (int i = 0; i < 10; ++i) {
        b.commit();
        b.sync_all();
      }
      const auto before = b.last_progress(0);
      REQUIRE(before.state_root_index == commit_index{8});
      b.crash();
      b.progress.clear();
      b.answers.clear();
      b.replays.clear();
      b.local.executors = after;
      b.boot();
      REQUIRE(b.replays.size() == after);
      CHECK(b.replays[0].second == commit_index{8});
      CHECK(b.last_progress(0).index == commit_index{8});
      CHECK(b.last_progress(0).snapshot == commit_index{8});
      CHECK(b.last_progress(0).state_root == before.state_root);
      b.answer_replays();
      for (int i = 0; i < 4; ++i) {
        b.commit();
        b.sync_all();
      }
      CHECK(b.last_progress(0).index == commit_index{14});
      CHECK(b.last_progress(0).snapshot == commit_index{12});
      for (const auto& [key, answer] : b.source.answers())
        if (answer.index > commit_index{8}) CHECK(b.answers[key] == answer);
      // The same stream without a restart has the same root.
      executor_bench undisturbed(1, {.seed = 8, .keyset = true, .snapshot_every = 4});
      undisturbed.boot();
      for (int i = 0; i < 14; ++i) {
        undisturbed.commit();
        undisturbed.sync_all();
      }
      CHECK(undisturbed.last_progress(0).state_root == b.last_progress(0).state_root);
      CHECK(undisturbed.last_progress(0).state_root_index == commit_index{12});
    }
  }

  TEST_CASE("a snapshot that was torn by a crash is not used") {
    executor_bench b(2, {.seed = 2, .snapshot_every = 3});
    b.boot();
    for (int i = 0; i < 3; ++i) b.commit();
    b.sync_all();
    for (int i = 0; i < 3; ++i) b.commit();
    b.store->sync(3);  // some chunks of the second snapshot
    b.run();
    b.crash();
    b.boot();
    CHECK(b.replays.back().second == commit_index{3});
    b.answer_replays();
    b.sync_all();
    CHECK(b.answers == b.source.answers());
    CHECK(b.last_progress(1).snapshot == commit_index{6});
  }

  TEST_CASE("a gap in the stream is asked for after the time-out and not before") {
    executor_bench b(2, {.seed = 4});
    b.boot();
    b.replays.clear();
    b.history.push_back(b.source.next());
    b.commit();
    CHECK(b.last_progress(0).index == commit_index{0});
    b.advance(b.local.stream_retry - 1ms);
    CHECK(b.replays.empty());
    b.advance(1ms);
    REQUIRE(b.replays.size() == 2);
    CHECK(b.replays[0].second == commit_index{0});
    b.answer_replays();
    CHECK(b.last_progress(0).index == commit_index{2});
    CHECK(b.answers == b.source.answers());
    b.advance(10s);
    CHECK(b.replays.empty());
  }

  TEST_CASE("malformed frames are counted and nothing else") {
    executor_bench b(2, {.seed = 4});
    b.boot();
    const auto junk = [] { return shared_bytes(std::vector<char>(24, '\x7f')); };
    caf::anon_send(b.executors[0], sequenced_frame(junk()));
    caf::anon_send(b.executors[0], payload_frame(junk()));
    caf::anon_send(b.executors[0], pushed_frame(junk()));
    caf::anon_send(b.executors[0], requested_frame(junk()));
    caf::anon_send(b.executors[0], results_frame(junk()));
    caf::anon_send(b.executors[0], leaves_frame(junk()));
    b.run();
    CHECK(b.rejected("executor", reject::malformed) == 6);
    b.commit();
    CHECK(b.answers == b.source.answers());
  }

  TEST_CASE("a committer that is met again is asked for the stream again") {
    executor_bench b(1, {.seed = 4});
    b.boot();
    b.commit();
    b.replays.clear();
    caf::anon_send(b.executors[0], atom::meet_v, b.committer);
    b.run();
    REQUIRE(b.replays.size() == 1);
    CHECK(b.replays[0].second == commit_index{1});
  }

  TEST_CASE("a store of another application and unknown names stop the validator with one line") {
    executor_bench b(1, {.seed = 4, .snapshot_every = 1});
    b.boot();
    b.commit();
    b.sync_all();
    b.crash();
    b.protocol.application = "keyset";
    b.boot();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("snapshot at commit 1") != std::string::npos);
    b.protocol.application = "poker";
    b.boot();
    REQUIRE(b.failures.size() == 2);
    CHECK(b.failures[1].find("application = \"poker\"") != std::string::npos);
    b.protocol.application = "smallbank";
    b.local.scheduler = "lottery";
    b.boot();
    REQUIRE(b.failures.size() == 3);
    CHECK(b.failures[2].find("scheduler = \"lottery\"") != std::string::npos);
    b.local.scheduler = "hermes";
    b.boot();
    REQUIRE(b.failures.size() == 4);
    CHECK(b.failures[3].find("changes the committed order") != std::string::npos);
  }

  TEST_CASE("a store that refuses a snapshot stops the validator") {
    executor_bench b(1, {.seed = 4, .snapshot_every = 1});
    b.boot();
    b.commit();
    b.store->fail(storage::failure::disk_full);
    b.sync();
    CHECK(!b.failures.empty());
    CHECK(b.last_progress(0).snapshot == commit_index{0});
  }
}
