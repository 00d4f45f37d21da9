// The executor group's decisions: who is spawned where and when, what a crash costs, and in which
// order one more joins or one less is left.
#include <doctest/doctest.h>

#include "actors/executor/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor_group;

namespace {

executor_id e(std::uint16_t i) {
  return executor_id{i};
}

/// A core with the shell's duties done at once.
struct running_group {
  core logic{parameters{validator_id{0}, std::chrono::seconds(1)}};
  time_point now{std::chrono::hours(1)};
  std::uint64_t life = 0;
  commit_index committed{100}, snapshot{50};
  std::vector<group_entry> log{{commit_index{1}, {0, 2, 50}}};

  effects step(input in) {
    effects fx = logic.step(now, std::move(in));
    if (fx.new_life) life = *fx.new_life;
    return fx;
  }
  /// What the committer says of its log after a commit.
  group_log log_after(commit_index index) const {
    group_log out{{}, committed};
    for (const auto& x : log) {
      if (x.from <= index + 1) out.entries.clear();
      out.entries.push_back(x);
    }
    return out;
  }
  effects learned() { return step(log_known{snapshot, log_after(snapshot)}); }
  effects ready(const effects& spawned) {
    effects last;
    for (const birth& x : spawned.spawn) last = step(restored{x.who, life});
    return last;
  }
  void start() {
    REQUIRE(step(started{}).learn);
    REQUIRE(ready(learned()).introduce);
    REQUIRE(step(introduced{life}).start.size() == log.back().group.executors);
    REQUIRE(logic.running());
  }
  /// The committer puts it into its log.
  effects logged(std::uint16_t executors) {
    log.push_back({++committed, {log.back().group.version + 1, executors, 50}});
    return step(group_logged{log_after(committed - 1)});
  }
  effects progress(std::uint16_t who, commit_index index) {
    execution_progress x;
    x.executor = e(who);
    x.index = index;
    x.life = life;
    return step(progressed{x});
  }
};

std::vector<executor_id> who(const std::vector<birth>& births) {
  std::vector<executor_id> out;
  for (const auto& x : births) out.push_back(x.who);
  return out;
}

}  // namespace

TEST_SUITE("executor group") {
  TEST_CASE("a group starts as its log says and runs when all of it has restored and is known") {
    running_group g;
    CHECK(g.step(started{}).learn);
    const auto born = g.learned();
    CHECK(who(born.spawn) == std::vector{e(0), e(1)});
    CHECK(born.spawn[0].from == commit_index{50});
    CHECK(born.spawn[0].group.executors == 2);
    CHECK(!g.step(restored{e(0), g.life}).introduce);
    CHECK(!g.step(restored{e(0), g.life}).introduce);  // twice counts once
    CHECK(g.step(restored{e(1), g.life}).introduce);
    CHECK(!g.logic.running());
    CHECK(g.step(introduced{g.life}).start == std::vector{e(0), e(1)});
    CHECK(g.logic.running());
  }

  TEST_CASE("all that the log names after the snapshot are there for the replay") {
    running_group g;
    g.log = {{commit_index{1}, {0, 2, 50}},
             {commit_index{40}, {1, 5, 50}},
             {commit_index{60}, {2, 4, 50}},
             {commit_index{70}, {3, 1, 50}}};
    g.step(started{});
    const auto born = g.learned();
    CHECK(born.spawn.size() == 5);
    CHECK(born.spawn[4].group.executors == 5);
    g.ready(born);
    g.step(introduced{g.life});
    // They end when the only one that stays is past the last change.
    CHECK(g.progress(0, commit_index{69}).end.empty());
    CHECK(g.progress(0, commit_index{70}).end == std::vector{e(1), e(2), e(3), e(4)});
    CHECK(g.step(ended{e(3), g.life}).forget == std::vector{e(3)});
  }

  TEST_CASE("a crash sends the whole group back to the newest snapshot, on hosts that are left") {
    running_group g;
    g.step(host_met{"a"});
    g.step(host_met{"b"});
    g.start();
    const auto before = g.life;
    g.now += std::chrono::seconds(10);
    g.step(host_left{"a"});
    const auto crash = g.step(ended{e(0), g.life});
    CHECK(crash.roll_back);
    CHECK(crash.end == std::vector{e(0), e(1)});
    REQUIRE(crash.learn);
    g.snapshot = commit_index{80};
    const auto born = g.learned();
    CHECK(g.life > before);
    REQUIRE(born.spawn.size() == 2);
    for (const auto& x : born.spawn) {
      CHECK(x.host == "b");
      CHECK(x.from == commit_index{80});
    }
    CHECK(!g.step(ended{e(1), before}).roll_back);  // of the life before
    CHECK(g.logic.roll_backs() == 1);
  }

  TEST_CASE("a worker that restarts sends the group back to where its store is whole") {
    running_group g;
    CHECK(!g.step(worker_restarted{worker_id{0}}).roll_back);  // not started: nothing is lost
    g.start();
    g.now += std::chrono::seconds(2);
    const auto fx = g.step(worker_restarted{worker_id{0}});
    REQUIRE(fx.roll_back);
    CHECK(*fx.roll_back == "worker 0 restarted");
    CHECK(fx.end.size() == 2);
    CHECK(fx.learn);
  }

  TEST_CASE("lives of a group that crashes at once do not follow each other without a pause") {
    running_group g;
    g.start();
    const auto crash = g.step(ended{e(1), g.life});
    CHECK(crash.roll_back);
    CHECK(!crash.learn);
    REQUIRE(g.logic.next_deadline());
    CHECK(!g.step(timer{}).learn);
    g.now = *g.logic.next_deadline();
    CHECK(g.step(timer{}).learn);
  }

  TEST_CASE(
      "one more is known to all before the committer is asked and an operator answered last") {
    running_group g;
    g.start();
    g.step(host_met{"a"});
    g.progress(0, commit_index{98});
    const auto asked = g.step(scale_asked{7, 1});
    REQUIRE(asked.spawn.size() == 1);
    CHECK(asked.spawn[0].who == e(2));
    CHECK(asked.spawn[0].host == "a");
    CHECK(asked.spawn[0].from == commit_index{98});
    CHECK(asked.spawn[0].group.executors == 2);  // it is not in it yet
    CHECK(!asked.want);
    CHECK(g.step(restored{e(2), g.life}).introduce);
    const auto known = g.step(introduced{g.life});
    CHECK(known.start == std::vector{e(2)});
    CHECK(known.want == std::uint16_t{3});
    const auto done = g.logged(3);
    REQUIRE(done.answers.size() == 1);
    CHECK(done.answers[0].ticket == 7);
    CHECK(done.answers[0].report.problem.empty());
    CHECK(done.answers[0].report.executors == 3);
  }

  TEST_CASE("who leaves ends when the others are past the change and its crash before is one") {
    for (const bool crashes : {false, true}) {
      running_group g;
      g.start();
      CHECK(g.step(scale_asked{1, -1}).want == std::uint16_t{1});
      CHECK(g.logged(1).answers.size() == 1);
      if (crashes) {
        CHECK(g.step(ended{e(1), g.life}).roll_back);
        continue;
      }
      CHECK(g.progress(0, g.committed - 1).end.empty());
      CHECK(g.progress(0, g.committed).end == std::vector{e(1)});
      const auto gone = g.step(ended{e(1), g.life});
      CHECK(!gone.roll_back);
      CHECK(gone.forget == std::vector{e(1)});
    }
  }

  TEST_CASE("one that left and still reads along is taken in again without a new one") {
    running_group g;
    g.start();
    g.step(scale_asked{1, -1});
    g.logged(1);
    const auto again = g.step(scale_asked{2, 1});
    CHECK(again.spawn.empty());
    CHECK(again.want == std::uint16_t{2});
  }

  TEST_CASE("who crashes before it was asked for costs nobody a roll-back") {
    running_group g;
    g.start();
    g.step(scale_asked{1, 1});
    const auto gone = g.step(ended{e(2), g.life});
    CHECK(!gone.roll_back);
    REQUIRE(gone.answers.size() == 1);
    CHECK(gone.answers[0].report.problem.find("executor 2") != std::string::npos);
    CHECK(g.step(scale_asked{2, 1}).spawn.size() == 1);
  }

  TEST_CASE("after a roll-back in the middle of a change all that it may bring are there") {
    running_group g;
    g.start();
    g.now += std::chrono::seconds(10);
    g.step(scale_asked{1, 1});
    g.step(restored{e(2), g.life});
    CHECK(g.step(introduced{g.life}).want);
    CHECK(g.step(ended{e(2), g.life}).learn);
    CHECK(g.learned().spawn.size() == 3);
    CHECK(g.logged(3).answers.size() == 1);
  }

  TEST_CASE("a host that refuses is left alone and another one tried") {
    running_group g;
    g.step(host_met{"a"});
    g.start();
    g.step(host_met{"b"});
    const auto first = g.step(scale_asked{1, 1});
    REQUIRE(first.spawn.size() == 1);
    CHECK(first.spawn[0].host == "b");
    const auto second = g.step(not_spawned{e(2), g.life, "no memory"});
    REQUIRE(second.spawn.size() == 1);
    CHECK(second.spawn[0].host == "a");
    const auto third = g.step(not_spawned{e(2), g.life, "no memory"});
    REQUIRE(third.answers.size() == 1);
    CHECK(third.answers[0].report.problem.find("host a: no memory") != std::string::npos);
  }

  TEST_CASE("what was wanted of a committer that went is wanted again") {
    running_group g;
    g.start();
    g.step(scale_asked{1, -1});
    CHECK(g.step(started{}).want == std::uint16_t{1});
    g.logged(1);
    CHECK(!g.step(started{}).want);
  }

  TEST_CASE("what cannot be is refused with one line and changes nothing") {
    running_group g;
    const auto problem_of = [&](std::int8_t change) {
      const auto fx = g.step(scale_asked{1, change});
      REQUIRE(fx.answers.size() == 1);
      CHECK(fx.spawn.empty());
      CHECK(!fx.want);
      return fx.answers[0].report.problem;
    };
    CHECK(problem_of(1).find("returning to their last snapshot") != std::string::npos);
    g.log = {{commit_index{1}, {0, 1, 50}}};
    g.start();
    CHECK(problem_of(-1).find("one executor") != std::string::npos);
    CHECK(problem_of(0).empty());
    g.step(scale_asked{5, 1});
    CHECK(problem_of(1).find("another change") != std::string::npos);
    running_group full;
    full.log = {{commit_index{1}, {0, 10, 50}}};
    full.start();
    CHECK(full.step(scale_asked{1, 1}).answers.at(0).report.problem.find("10 executors already") !=
          std::string::npos);
  }
}
