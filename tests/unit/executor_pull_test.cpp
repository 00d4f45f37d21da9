// With a scheduler whose masters pull, a value leaves its owner when its master has asked for it.
#include <doctest/doctest.h>

#include "tests/unit/executor_stream.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

core one_of_two(std::uint16_t self, const stream_source& source) {
  parameters p;
  p.share = {executor_id{self}, 2, 1, 50};
  p.stream_retry = std::chrono::seconds(1);
  return core(p, source.rules(), make_scheduler("pilotfish"),
              std::make_shared<dense_buckets>(source.rules()->dense_keys(), &bucket_of),
              functions{&bucket_of, &sha256});
}

/// Gives it a sub-DAG and lets it run as far as it can.
execution_outputs feed(core& x, const sub_dag_frames& frames) {
  execution_outputs all;
  const auto add = [&all](effects fx) {
    for (auto& y : fx.outputs.pushed)
      if (!y.values.keys.empty()) all.pushed.push_back(std::move(y));
    for (auto& y : fx.outputs.requested) all.requested.push_back(std::move(y));
  };
  add(x.step(time_point{}, sequenced_received{frames.sequenced}));
  for (const auto& payload : frames.payloads) add(x.step(time_point{}, payload));
  while (x.runnable()) {
    x.prepare();
    x.plan();
    add(x.run(time_point{}));
  }
  return all;
}

std::vector<pushed_to> ask(core& owner, const requested_values& request) {
  owner.step(time_point{}, requests_received{request});
  return owner.step(time_point{}, timer{}).outputs.pushed;
}

/// A sub-DAG with transactions.
sub_dag_frames some_sub_dag(stream_source& source, core& a, core& b) {
  while (true) {
    const stream_position before = source.position();
    sub_dag_frames next = source.next();
    if (source.position().value - before.value >= 30) return next;
    feed(a, next);
    feed(b, next);
  }
}

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("no value leaves its owner before its master asks where masters pull") {
    stream_source source({.seed = 3, .max_bundle = 10, .executors = 2});
    core master = one_of_two(0, source), owner = one_of_two(1, source);
    const sub_dag_frames frames = some_sub_dag(source, master, owner);
    CHECK(feed(owner, frames).pushed.empty());
    const execution_outputs asked = feed(master, frames);
    REQUIRE(!asked.requested.empty());
    std::set<std::uint64_t> batches;
    std::size_t pushed = 0;
    for (const requested_to& x : asked.requested) {
      CHECK(x.to == executor_id{1});
      CHECK(x.request.from == executor_id{0});
      CHECK(batches.insert(x.request.batch.value).second);  // one for each batch and owner
      for (const pushed_to& y : ask(owner, x.request)) {
        CHECK(y.to == executor_id{0});
        pushed += y.values.keys.size();
      }
    }
    CHECK(pushed > 0);
    CHECK(owner.counts().unexpected == 0);
  }

  TEST_CASE("a request that comes before its batch is answered as the batch is planned") {
    stream_source source({.seed = 3, .max_bundle = 10, .executors = 2});
    core master = one_of_two(0, source), owner = one_of_two(1, source);
    const sub_dag_frames frames = some_sub_dag(source, master, owner);
    for (const requested_to& x : feed(master, frames).requested)
      CHECK(ask(owner, x.request).empty());
    CHECK(owner.early_frames() > 0);
    CHECK(!feed(owner, frames).pushed.empty());
    CHECK(owner.early_frames() == 0);
  }

  TEST_CASE("a request is answered once and one for nothing is counted") {
    stream_source source({.seed = 3, .max_bundle = 10, .executors = 2});
    core master = one_of_two(0, source), owner = one_of_two(1, source);
    const sub_dag_frames frames = some_sub_dag(source, master, owner);
    feed(owner, frames);
    const auto asked = feed(master, frames).requested;
    REQUIRE(!asked.empty());
    CHECK(!ask(owner, asked[0].request).empty());
    for (const pushed_to& x : ask(owner, asked[0].request)) CHECK(x.values.keys.empty());
    requested_values wrong = asked[0].request;
    wrong.transactions = {0xffffffff, 0x7fffffff};
    const std::uint64_t before = owner.counts().unexpected;
    CHECK(ask(owner, wrong).empty());
    CHECK(owner.counts().unexpected == before + 2);
  }
}
