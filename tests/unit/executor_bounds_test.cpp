// What an executor keeps is bounded, and reaching a bound loses nothing.
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

core one_of(std::uint16_t self, std::uint16_t executors, const stream_source& source,
            std::uint64_t max_lead = 16, std::size_t max_waiting_steps = 50'000,
            assembly::limits waiting = {}) {
  parameters p;
  p.share = {executor_id{self}, executors, 1, 50};
  p.max_lead = max_lead;
  p.max_waiting_steps = max_waiting_steps;
  p.waiting = waiting;
  p.stream_retry = std::chrono::seconds(1);
  return core(p, source.rules(), make_scheduler("static"),
              std::make_shared<dense_buckets>(source.rules()->dense_keys(), &bucket_of),
              functions{&bucket_of, &sha256});
}

void feed(core& x, const sub_dag_frames& frames) {
  x.step(time_point{}, sequenced_received{frames.sequenced});
  for (const auto& payload : frames.payloads) x.step(time_point{}, payload);
}

void run_all(core& x) {
  while (x.runnable()) {
    x.prepare();
    x.plan();
    x.run(time_point{});
  }
}

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("an executor runs no further ahead of the slowest one than it may") {
    stream_source source({.seed = 1, .two_account_percent = 0, .executors = 3});
    core x = one_of(0, 3, source, 5);
    for (int i = 0; i < 20; ++i) feed(x, source.next());
    run_all(x);
    CHECK(x.sub_dags_waiting() == 15);
    for (const std::uint16_t other : {1, 2}) {
      pushed_values progress;
      progress.from = executor_id{other};
      progress.executed = commit_index{static_cast<std::uint64_t>(other)};
      x.step(time_point{}, values_received{progress});
    }
    run_all(x);
    CHECK(x.sub_dags_waiting() == 14);  // executor 1 is the slower one
  }

  TEST_CASE("an executor begins nothing new while too many transactions wait") {
    stream_source source({.seed = 1, .two_account_percent = 100, .bad_percent = 0, .executors = 2});
    core x = one_of(0, 2, source, 16, 20);
    for (int i = 0; i < 10; ++i) feed(x, source.next());
    run_all(x);
    CHECK(x.steps_waiting() >= 20);
    CHECK(x.steps_waiting() <= 20 + 50);  // one execution batch
    CHECK(!x.runnable());
  }

  TEST_CASE("what is dropped at a limit is asked for again and lost by nobody") {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      CAPTURE(seed);
      stream_source source({.seed = seed});
      group_settings s{.executors = 2, .seed = seed};
      s.waiting = seed % 2 == 0 ? assembly::limits{2, 128 << 20} : assembly::limits{256, 2000};
      executor_group group(s, source);
      group.run(30);
      group.check_equal_to_serial();
      CHECK(group.rejected > 0);
      CHECK(group.at(0).executed() == commit_index{30});
    }
  }

  TEST_CASE("what was dropped is asked for as soon as its turn comes, though more is known") {
    stream_source source({.seed = 3, .executors = 1});
    std::vector<sub_dag_frames> frames;
    for (int i = 0; i < 5; ++i) frames.push_back(source.next());
    core x = one_of(0, 1, source, 16, 50'000, {2, 128 << 20});
    feed(x, frames[3]);  // beyond the bound
    for (const int i : {0, 1}) feed(x, frames[static_cast<std::size_t>(i)]);
    run_all(x);
    feed(x, frames[4]);  // kept: two of them are before it
    feed(x, frames[2]);
    REQUIRE(x.runnable());
    std::optional<commit_index> asked;
    while (x.runnable()) {
      x.prepare();
      x.plan();
      if (const auto after = x.run(time_point{}).replay) asked = after;
    }
    CHECK(x.executed() == commit_index{3});
    CHECK(x.sub_dags_waiting() == 1);
    CHECK(asked == commit_index{3});
    feed(x, frames[3]);
    run_all(x);
    CHECK(x.executed() == commit_index{5});
  }

  TEST_CASE("a bound on waiting transactions and a lead of one still let the group finish") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      stream_source source({.seed = seed, .accounts = 30, .two_account_percent = 90});
      executor_group group({.executors = static_cast<std::uint16_t>(2 + seed % 4),
                            .batch_transactions = 7,
                            .seed = seed,
                            .max_lead = 1,
                            .max_waiting_steps = 3},
                           source);
      group.run(12);
      group.check_equal_to_serial();
    }
  }

  TEST_CASE("payload that does not fit its bundles is refused and the right one still taken") {
    stream_source source({.seed = 6});
    sub_dag_frames frames;
    do frames = source.next();
    while (frames.payloads.empty() || source.position() == frames.sequenced.first_position);
    core x = one_of(0, 1, source);
    // Sub-DAGs before it are empty here.
    for (std::uint64_t i = 1; i < frames.sequenced.index.value; ++i) {
      sequenced_sub_dag empty;
      empty.index = commit_index{i};
      x.step(time_point{}, sequenced_received{empty});
    }
    run_all(x);
    x.step(time_point{}, sequenced_received{frames.sequenced});
    for (auto damaged : frames.payloads) {
      bool operations = false;
      for (auto& bundle : damaged.payload.bundles) {
        operations = operations || !bundle.empty();
        if (!bundle.empty()) bundle = bundle.first(bundle.size() - 1);
      }
      const auto fx = x.step(time_point{}, damaged);
      CHECK(fx.rejected == (operations ? std::vector{reject::malformed} : std::vector<reject>{}));
      damaged.payload.bundles.emplace_back();
      CHECK(x.step(time_point{}, damaged).rejected == std::vector{reject::malformed});
    }
    CHECK(!x.runnable());
    for (const auto& good : frames.payloads) CHECK(x.step(time_point{}, good).rejected.empty());
    CHECK(x.runnable());
    run_all(x);
    CHECK(x.executed() == frames.sequenced.index);
  }

  TEST_CASE("values of another size or from nobody of the group are refused") {
    stream_source source({.seed = 6});
    core x = one_of(0, 2, source);
    pushed_values values;
    values.from = executor_id{1};
    values.transactions = {0};
    values.keys = {1};
    values.values = std::vector<byte>(15);
    CHECK(x.step(time_point{}, values_received{values}).rejected == std::vector{reject::malformed});
    values.values = std::vector<byte>(16);
    values.from = executor_id{max_group_executors};
    CHECK(x.step(time_point{}, values_received{values}).rejected ==
          std::vector{reject::unknown_validator});
    values.from = executor_id{1};
    CHECK(x.step(time_point{}, values_received{values}).rejected.empty());
    CHECK(x.early_frames() == 1);
  }

  TEST_CASE("leaves that come to another executor than the first are refused") {
    stream_source source({.seed = 6});
    core x = one_of(1, 2, source);
    CHECK(x.step(time_point{}, leaves_received{}).rejected == std::vector{reject::not_requested});
  }
}
