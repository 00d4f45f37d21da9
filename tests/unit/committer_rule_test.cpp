// The committer case by case: what it waits for, what it tells, what it keeps.
#include <doctest/doctest.h>

#include "tests/unit/committer_world.hpp"

using namespace flamingo;
using namespace flamingo::committer;
using namespace flamingo::committer::test;
using namespace std::chrono_literals;

namespace {

constexpr time_point now{100s};

dag_position at(std::uint64_t r, std::uint16_t author) {
  return {round_number{r}, validator_id{author}};
}

header make(dag_position place, const std::vector<std::uint16_t>& parents,
            const std::vector<digest>& payload = {}) {
  header x;
  x.id = name_of(1, place);
  x.author = place.author;
  x.round = place.round;
  for (const auto p : parents) x.parents.push_back(name_of(1, {place.round - 1, validator_id{p}}));
  for (const auto& batch : payload) x.payload.push_back({batch, worker_id{0}, 7, {}, {}});
  if (carries_coin_share(place.round)) x.coin_share = {byte(place.author.value)};
  return x;
}

digest d(byte x) {
  digest result;
  result.bytes[0] = x;
  return result;
}

bundle_head bundle(std::uint32_t client, std::uint64_t sequence, std::uint32_t transactions = 1) {
  bundle_head x;
  x.client = client_id{client};
  x.sequence = bundle_sequence{sequence};
  x.expires = round_number{1000};
  x.transactions = transactions;
  return x;
}

batch_index index_of(byte id, std::uint16_t author, std::vector<bundle_head> bundles) {
  return {d(id), validator_id{author}, worker_id{0}, std::move(bundles)};
}

/// A committer of validator 3 of 4 whose leaders go in turn: 1, 2, 3, 0, ...
class bench {
public:
  explicit bench(recovered from = {}) : logic(parameters_of_bench(), std::move(from)) {}

  static parameters parameters_of_bench() {
    auto p = test_parameters(4, 3);
    p.election = leader_election::round_robin;
    return p;
  }

  effects add(const header& x) { return keep(logic.step(now, certified{x, {validator_id{1}}})); }
  void full_rounds(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t r = first; r <= last; ++r)
      for (std::uint16_t a = 0; a < 4; ++a) add(make(at(r, a), {0, 1, 2, 3}));
  }
  effects index(batch_index x) { return keep(logic.step(now, indexed{std::move(x)})); }
  effects keep(effects x) {
    for (const auto& y : x.commits) {
      store.apply(y);
      commits.push_back(y);
    }
    return x;
  }

  core logic;
  test_store store;
  std::vector<commit> commits;
};

}  // namespace

TEST_SUITE("committer") {
  TEST_CASE("a sub-DAG waits for the bundles of its batches, and later ones wait for it") {
    bench x;
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(1, a), {}, a == 1 ? std::vector{d(1), d(2)} : std::vector<digest>{}));
    std::vector<wanted_batch> wanted;
    for (std::uint64_t r = 2; r <= 4; ++r)
      for (std::uint16_t a = 0; a < 4; ++a) {
        auto fx = x.add(make(at(r, a), {0, 1, 2, 3}));
        wanted.insert(wanted.end(), fx.wanted.begin(), fx.wanted.end());
      }
    CHECK(x.commits.empty());
    CHECK(x.logic.waiting_sub_dags() == 2);
    REQUIRE(wanted.size() == 2);
    CHECK(wanted[0] == wanted_batch{d(1), validator_id{1}, worker_id{0}, {validator_id{1}}});
    CHECK(x.logic.next_deadline() == now + 200ms);
    CHECK(x.logic.step(now + 199ms, ticked{}).wanted.empty());
    CHECK(x.logic.step(now + 200ms, ticked{}).wanted.size() == 2);
    CHECK(x.index(index_of(2, 1, {bundle(0, 1, 5)})).commits.empty());
    const auto fx = x.index(index_of(1, 1, {bundle(0, 2, 3)}));
    REQUIRE(fx.commits.size() == 2);
    REQUIRE(fx.commits[0].stream.batches.size() == 2);  // in the order of the payload
    CHECK(fx.commits[0].stream.batches[0].id == d(1));
    CHECK(fx.commits[1].stream.first_position == stream_position{8});
    CHECK(fx.commits[0].waited == 0ns);
    CHECK(!x.logic.next_deadline());
  }

  TEST_CASE("bundles that came before the commit are not asked for") {
    bench x;
    x.index(index_of(1, 1, {bundle(0, 1)}));
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(1, a), {}, a == 1 ? std::vector{d(1)} : std::vector<digest>{}));
    x.add(make(at(2, 0), {0, 1, 2}));
    const auto fx = x.add(make(at(2, 1), {0, 1, 2}));
    CHECK(fx.wanted.empty());
    REQUIRE(fx.commits.size() == 1);
    CHECK(fx.commits[0].totals.fresh == 1);
  }

  TEST_CASE("a batch that commits twice gives duplicates the second time") {
    bench x;
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(1, a), {}, a == 1 ? std::vector{d(1)} : std::vector<digest>{}));
    x.full_rounds(2, 2);
    x.index(index_of(1, 1, {bundle(0, 1, 4), bundle(0, 2, 4)}));
    REQUIRE(x.commits.size() == 1);
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(3, a), {0, 1, 2, 3}, a == 2 ? std::vector{d(1)} : std::vector<digest>{}));
    x.full_rounds(4, 4);
    CHECK(x.commits.size() == 1);  // its bundles are asked for anew
    x.index(index_of(1, 1, {bundle(0, 1, 4), bundle(0, 2, 4)}));
    REQUIRE(x.commits.size() == 2);
    const auto& again = x.commits[1].stream.batches.back().bundles;
    CHECK(again[0].what == verdict::duplicate);
    CHECK(again[1].what == verdict::duplicate);
    CHECK(x.commits[1].totals.transactions == 8);
    CHECK(x.commits[1].totals.duplicate == 2);
    CHECK(x.logic.status().duplicates == 2);
  }

  TEST_CASE("missing batches are asked for within the bound") {
    auto p = bench::parameters_of_bench();
    p.max_fetches = 3;
    core logic(p, {});
    std::vector<digest> payload;
    for (byte i = 1; i <= 5; ++i) payload.push_back(d(i));
    for (std::uint16_t a = 0; a < 4; ++a)
      logic.step(now, certified{make(at(1, a), {}, a == 1 ? payload : std::vector<digest>{}), {}});
    logic.step(now, certified{make(at(2, 0), {0, 1, 2}), {}});
    auto fx = logic.step(now, certified{make(at(2, 1), {0, 1, 2}), {}});
    CHECK(fx.wanted.size() == 3);
    fx = logic.step(now, indexed{index_of(2, 1, {})});
    REQUIRE(fx.wanted.size() == 1);
    CHECK(fx.wanted[0].id == d(4));
  }

  TEST_CASE("who lacks a batch that others may have deleted is left behind after a while") {
    const auto waits = [](std::uint64_t rounds, duration time) {
      bench x;
      for (std::uint16_t a = 0; a < 4; ++a)
        x.add(make(at(1, a), {}, a == 1 ? std::vector{d(1)} : std::vector<digest>{}));
      x.full_rounds(2, rounds);
      CHECK(x.commits.empty());
      return x.logic.step(now + time, ticked{}).left_behind;
    };
    CHECK_FALSE(waits(6, 1h));  // no checkpoint has passed it: others still have it
    CHECK_FALSE(waits(100, 4999ms));
    CHECK(waits(100, 5s));
  }

  TEST_CASE("own batches of a header that died are told, kept, and told again after a restart") {
    bench x;
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(1, a), {}, a == 3 ? std::vector{d(1), d(2)} : std::vector<digest>{}));
    for (std::uint16_t a = 0; a < 4; ++a) x.add(make(at(2, a), {0, 1, 2}));  // nobody links (1, 3)
    x.full_rounds(3, 8);
    REQUIRE(x.commits.size() == 4);
    CHECK(x.commits[3].floor == round_number{1});
    CHECK(x.commits[3].notice.dead_payload == std::vector{d(1), d(2)});
    CHECK(x.commits[3].dead_added == std::vector{d(1), d(2)});

    bench again(x.store.content);
    again.store = x.store;
    const auto announced = again.logic.step(now, started{}).announcement;
    REQUIRE(announced);
    CHECK(announced->dead_payload == std::vector{d(1), d(2)});
    CHECK(announced->floor == round_number{1});
    // Proposed again and committed, one of them is dead no more.
    for (std::uint16_t a = 0; a < 4; ++a) again.add(make(at(7, a), {0, 1, 2, 3}));
    for (std::uint16_t a = 0; a < 4; ++a) again.add(make(at(8, a), {0, 1, 2, 3}));
    for (std::uint16_t a = 0; a < 4; ++a)
      again.add(make(at(9, a), {0, 1, 2, 3}, a == 3 ? std::vector{d(2)} : std::vector<digest>{}));
    again.index(index_of(2, 3, {bundle(0, 1)}));
    again.full_rounds(10, 12);
    REQUIRE(again.commits.size() == 2);
    CHECK(again.commits[1].dead_removed == std::vector{d(2)});
    CHECK(again.store.content.dead == std::set{d(1)});
  }

  TEST_CASE("an own certificate that comes too late is dead, unless it was output") {
    bench x;
    for (const std::uint16_t a : {0, 1, 2}) x.add(make(at(1, a), {}));
    for (std::uint16_t a = 0; a < 4; ++a)
      x.add(make(at(2, a), {0, 1, 2}, a == 3 ? std::vector{d(2)} : std::vector<digest>{}));
    x.index(index_of(2, 3, {bundle(0, 1)}));
    x.full_rounds(3, 10);
    CHECK(x.logic.step(now, certified{make(at(1, 3), {}, {d(1)}), {}}).rejected.empty());
    x.logic.step(now, certified{make(at(2, 3), {0, 1, 2}, {d(2)}), {}});
    x.logic.step(now, certified{make(at(1, 0), {}, {d(3)}), {}});
    const auto before = x.commits.size();
    x.full_rounds(11, 12);
    REQUIRE(x.commits.size() > before);
    CHECK(x.commits[before].notice.dead_payload == std::vector{d(1)});

    // The same after a restart: output headers are remembered below the floor.
    bench again(x.store.content);
    again.logic.step(now, certified{make(at(2, 3), {0, 1, 2}, {d(2)}), {}});
    again.full_rounds(11, 14);
    REQUIRE(!again.commits.empty());
    CHECK(again.commits[0].notice.dead_payload.empty());
  }

  TEST_CASE("a commit tells signals and control records in committed order") {
    bench x;
    for (std::uint16_t a = 0; a < 4; ++a) {
      auto h = make(at(1, a), {}, a == 1 ? std::vector{d(1)} : std::vector<digest>{});
      h.queue_delay = std::chrono::microseconds(10 * a);
      h.created_at = time_point{a * 1s};
      h.control = {capacity_declaration{7, a}};
      x.add(h);
    }
    x.index(index_of(1, 1, {bundle(0, 1)}));
    x.full_rounds(2, 4);
    REQUIRE(x.commits.size() == 2);
    const auto& first = x.commits[0];
    CHECK(first.signals.headers ==
          std::vector<header_signals>{{validator_id{1}, round_number{1}, time_point{1s}, 10us, 7}});
    CHECK(first.control.records ==
          std::vector<authored_record>{{validator_id{1}, capacity_declaration{7, 1}}});
    const auto& second = x.commits[1];
    CHECK(second.control.records.size() == 3);
    CHECK(second.signals.headers.size() == second.output.size());
    for (std::size_t i = 0; i < second.output.size(); ++i)
      CHECK(second.signals.headers[i].author == second.output[i].position.author);
    const auto status = x.logic.status();
    CHECK(status.queue_delays ==
          std::vector<std::optional<std::chrono::microseconds>>(4, std::nullopt));  // of round 2
    CHECK(status.round == round_number{4});
    CHECK(status.anchor_round == round_number{3});
    CHECK(status.rounds_behind == 1);
    CHECK(status.committed_transactions == 1);
  }

  TEST_CASE("the coin is combined from f+1 shares on, until it has a value") {
    auto p = test_parameters(4, 0);
    core logic(p, {});
    for (std::uint64_t r = 1; r <= 2; ++r)
      for (std::uint16_t a = 0; a < 4; ++a)
        logic.step(now, certified{make(at(r, a), {0, 1, 2, 3}), {}});
    CHECK(logic.step(now, certified{make(at(3, 0), {0, 1, 2}), {}}).coins.empty());
    auto fx = logic.step(now, certified{make(at(3, 1), {0, 1, 2}), {}});
    REQUIRE(fx.coins.size() == 1);
    CHECK(fx.coins[0].wave == wave_number{1});
    CHECK(fx.coins[0].shares.size() == 2);
    fx = logic.step(now, certified{make(at(3, 2), {0, 1, 2}), {}});  // that gave no value
    REQUIRE(fx.coins.size() == 1);
    CHECK(fx.coins[0].shares.size() == 3);
    fx = logic.step(now, coin_known{wave_number{1}, 2});
    REQUIRE(fx.commits.size() == 1);
    CHECK(fx.commits[0].stream.anchor == name_of(1, at(1, 2)));
    CHECK(logic.step(now, certified{make(at(3, 3), {0, 1, 2}), {}}).coins.empty());
  }

  TEST_CASE("commits are kept for the last two snapshots and for the retention") {
    bench x;  // checkpoints every 4, retention 3
    x.logic.step(now, replay_asked{executor_id{0}, commit_index{0}});
    std::uint64_t sent = 0;
    const auto feed = [&](std::uint64_t r) {
      for (std::uint16_t a = 0; a < 4; ++a)
        for (const auto& part : x.add(make(at(r, a), {0, 1, 2, 3})).stream) sent = part.index.value;
    };
    for (std::uint64_t r = 1; r <= 20; ++r) feed(r);
    CHECK(sent == 4);  // the executor says nothing
    REQUIRE(x.commits.size() == 10);
    CHECK(x.commits.back().keep_from == commit_index{1});
    execution_progress progress;
    progress.index = commit_index{4};
    CHECK(x.logic.step(now, progressed{progress}).stream.size() == 6);
    progress.index = commit_index{8};
    progress.snapshot = commit_index{8};
    x.logic.step(now, progressed{progress});
    for (std::uint64_t r = 21; r <= 22; ++r) feed(r);
    CHECK(x.commits.back().keep_from == commit_index{5});  // what follows snapshot 4
    CHECK(!x.logic.step(now, replay_asked{executor_id{0}, commit_index{4}}).unservable);
    const auto refused =
        x.logic.step(now, replay_asked{executor_id{0}, commit_index{3}}).unservable;
    REQUIRE(refused);
    CHECK(refused->after == commit_index{3});
    // Retention wins where it keeps more.
    progress.index = commit_index{12};
    progress.snapshot = commit_index{12};
    x.logic.step(now, progressed{progress});
    for (std::uint64_t r = 23; r <= 24; ++r) feed(r);
    CHECK(x.commits.back().head.index == commit_index{12});
    CHECK(x.commits.back().keep_from == commit_index{9});
  }

  TEST_CASE("a change of the executors stands in the log at one place, also after a restart") {
    bench x;
    const auto feed = [&](std::uint64_t r) {
      for (std::uint16_t a = 0; a < 4; ++a) x.add(make(at(r, a), {0, 1, 2, 3}));
    };
    for (std::uint64_t r = 1; r <= 6; ++r) feed(r);
    REQUIRE(!x.commits.empty());
    const execution_group first = x.commits[0].stream.group;
    CHECK(first.executors == 1);
    CHECK(first.slack_per_mille == 10);  // of 80, for eight
    CHECK(x.commits[0].groups == std::vector<group_entry>{{commit_index{1}, first}});
    const commit_index before = x.commits.back().head.index;
    x.logic.step(now, group_wanted{3});
    CHECK(x.logic.group() == first);  // nothing was committed since
    for (std::uint64_t r = 7; r <= 12; ++r) feed(r);
    const execution_group second{1, 3, 30};
    std::vector<group_entry> stored;
    for (const commit& y : x.commits) {
      CHECK(y.stream.group == (y.head.index <= before ? first : second));
      stored.insert(stored.end(), y.groups.begin(), y.groups.end());
    }
    CHECK(stored == std::vector<group_entry>{{commit_index{1}, first}, {before + 1, second}});
    CHECK(x.logic.groups_after(before - 1).entries == stored);
    CHECK(x.logic.groups_after(before).entries.size() == 1);
    // What the store gives back goes on, whatever the configuration says.
    recovered store;
    store.head = x.commits.back().head;
    store.groups = stored;
    core again(test_parameters(4), store);
    CHECK(again.group() == second);
    CHECK(again.groups_after(before - 1).entries == stored);
  }

  TEST_CASE("an executor that does not exist is refused") {
    bench x;
    execution_progress progress;
    progress.executor = executor_id{max_group_executors};
    CHECK(x.logic.step(now, progressed{progress}).rejected == std::vector{reject::not_requested});
    CHECK(x.logic.step(now, replay_asked{executor_id{max_group_executors}, {}}).rejected.size() ==
          1);
  }

  TEST_CASE("another header of the same author and round is refused and counted") {
    bench x;
    x.add(make(at(1, 0), {}));
    auto other = make(at(1, 0), {});
    other.id.bytes[0] ^= 1;
    CHECK(x.add(other).rejected == std::vector{reject::equivocation});
  }

  TEST_CASE("status shows the state root of executor 0") {
    bench x;
    x.logic.step(now, replay_asked{executor_id{0}, commit_index{0}});
    CHECK(!x.logic.status().state_root);
    execution_progress progress;
    progress.state_root = d(9);
    progress.state_root_index = commit_index{4};
    x.logic.step(now, progressed{progress});
    CHECK(x.logic.status().state_root == d(9));
    CHECK(x.logic.status().state_root_index == commit_index{4});
  }
}
