// How a validator comes back: whom it believes, what it fetches, and from which round on it may
// sign again.
#include "actors/joiner/joiner.hpp"

#include <doctest/doctest.h>

#include <deque>

using namespace flamingo;
using namespace flamingo::joiner;
using namespace std::chrono_literals;

namespace {

constexpr std::uint16_t n = 4;

parameters lost_store() {
  parameters x;
  x.self = validator_id{0};
  x.validators = n;
  x.answers_needed = 3;
  x.round_limit = 4;
  x.lost = true;
  x.retry = 1s;
  x.window = 4;
  x.range = 16384;
  return x;
}

parameters left_behind(std::uint64_t have) {
  parameters x = lost_store();
  x.lost = false;
  x.have = commit_index{have};
  return x;
}

struct bench {
  core logic;
  time_point now{1h};
  std::optional<finish> done;
  std::vector<question> asked;  // of the last step
  unsigned begun = 0;

  explicit bench(const parameters& x = lost_store()) : logic(x) {
    step(started{});
    for (std::uint16_t v = 1; v < n; ++v) step(link_restored{validator_id{v}});
  }

  effects step(input in) {
    effects out = logic.step(now, std::move(in));
    begun += out.begin ? 1 : 0;
    asked = out.questions;
    if (out.done) done = out.done;
    return out;
  }
  effects pass(duration time) {
    now += time;
    return step(ticked{});
  }
  /// @param checkpoint 0: none.
  effects answer(std::uint16_t v, std::uint64_t round, std::uint64_t checkpoint) {
    answer_received x{validator_id{v}, round_number{round}, {}};
    if (checkpoint > 0)
      x.checkpoint = verified<checkpoint_proof>::after_check({summary(checkpoint), {}});
    return step(std::move(x));
  }
  void all_answer(std::uint64_t checkpoint) {
    for (std::uint16_t v = 1; v < n; ++v) answer(v, 100, checkpoint);
  }
  static checkpoint_summary summary(std::uint64_t index) {
    checkpoint_summary x;
    x.index = commit_index{index};
    x.ledger_bytes = 300;
    return x;
  }
  template <class What>
  std::vector<std::pair<validator_id, What>> questions() const {
    std::vector<std::pair<validator_id, What>> out;
    for (const auto& x : asked)
      if (const auto* what = std::get_if<What>(&x.what)) out.emplace_back(x.peer, *what);
    return out;
  }
  /// The peer that was asked for a part of the ledger gives it.
  effects give_ledger(std::uint64_t bytes) {
    const auto wanted = questions<ledger_request>();
    REQUIRE(wanted.size() == 1);
    const auto& [peer, what] = wanted[0];
    return step(ledger_received{peer, {what.index, what.offset, std::vector<byte>(bytes, 1)}});
  }
  void get_ledger() {
    CHECK(!give_ledger(200).check);
    CHECK(give_ledger(100).check);
    step(ledger_checked{true});
  }
  effects give(validator_id peer, const state_request& x, std::uint32_t count,
               state_received::outcome what = state_received::outcome::right) {
    return step(state_received{peer, x.index, x.first, count, what});
  }
  /// Answers everything that is asked until it is done, `fit` buckets at a time.
  std::uint32_t give_all_state(std::uint32_t fit) {
    std::uint32_t kept = 0;
    std::deque<std::pair<validator_id, state_request>> open;
    const auto take = [&] {
      for (const auto& x : questions<state_request>()) open.push_back(x);
    };
    take();
    while (!open.empty()) {
      const auto [peer, what] = open.front();
      open.pop_front();
      const auto count = std::min(fit, what.count);
      if (give(peer, what, count).keep) kept += count;
      take();
    }
    return kept;
  }
};

}  // namespace

TEST_SUITE("joiner") {
  TEST_CASE("a lost store is not decided on before n-f others have answered") {
    bench x;
    x.answer(1, 70, 0);
    x.answer(1, 71, 0);
    x.answer(2, 90, 0);
    CHECK(!x.done);
    x.answer(3, 80, 0);
    REQUIRE(x.done);
    CHECK(!x.done->checkpoint);
    CHECK(x.done->bar == round_number{90 + 2 + 4});
  }

  TEST_CASE("who does not answer is asked again, and nobody twice in one period") {
    bench x;
    x.answer(1, 70, 0);
    CHECK(x.asked.empty());
    x.pass(1s);
    const auto again = x.questions<checkpoint_query>();
    REQUIRE(again.size() == 2);
    CHECK(again[0].first == validator_id{2});
    CHECK(again[1].first == validator_id{3});
    CHECK(x.pass(500ms).questions.empty());
    CHECK(x.logic.next_deadline() == x.now + 500ms);
  }

  TEST_CASE("the newest checkpoint that is proven is fetched whole, and then the store is filled") {
    bench x;
    x.answer(1, 70, 20);
    x.answer(2, 90, 30);
    CHECK(x.begun == 0);
    x.answer(3, 80, 0);
    CHECK(x.begun == 1);
    REQUIRE(x.logic.target());
    CHECK(x.logic.target()->index == commit_index{30});
    x.get_ledger();
    CHECK(x.logic.ledger().size() == 300);
    CHECK(x.questions<state_request>().size() == 4);
    CHECK(x.give_all_state(bucket_count) == bucket_count);
    REQUIRE(x.done);
    CHECK(x.done->checkpoint == bench::summary(30));
    CHECK(x.done->bar == round_number{96});
  }

  TEST_CASE("buckets that do not fit into one part come in several") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    CHECK(x.give_all_state(512) == bucket_count);
    CHECK(x.done);
  }

  TEST_CASE("a validator that was left behind signs on at once, and takes only what is newer") {
    bench x(left_behind(30));
    x.all_answer(30);
    REQUIRE(x.done);
    CHECK(!x.done->checkpoint);
    CHECK(!x.done->bar);
    bench y(left_behind(29));
    y.all_answer(30);
    CHECK(!y.done);
    y.get_ledger();
    y.give_all_state(bucket_count);
    REQUIRE(y.done);
    CHECK(y.done->checkpoint);
    CHECK(!y.done->bar);
  }

  TEST_CASE("once the old state is forgotten nothing but a checkpoint will do") {
    auto with = left_behind(0);
    with.begun = true;
    bench x(with);
    x.all_answer(0);
    CHECK(!x.done);
    x.pass(1s);
    x.answer(2, 100, 10);
    CHECK(x.begun == 1);
  }

  TEST_CASE("a wrong ledger is the fault of the one peer that gave it") {
    bench x;
    x.all_answer(30);
    const auto liar = x.questions<ledger_request>()[0].first;
    x.give_ledger(300);
    x.step(ledger_checked{false});
    CHECK(x.logic.ledger().empty());
    const auto next = x.questions<ledger_request>();
    REQUIRE(next.size() == 1);
    CHECK(next[0].first != liar);
    CHECK(next[0].second.offset == 0);
    x.get_ledger();
    for (const auto& [peer, what] : x.questions<state_request>()) CHECK(peer != liar);
  }

  TEST_CASE("a ledger that is longer than signed is refused before it is kept") {
    bench x;
    x.all_answer(30);
    const auto liar = x.questions<ledger_request>()[0].first;
    CHECK(!x.give_ledger(301).check);
    CHECK(x.logic.ledger().empty());
    CHECK(x.questions<ledger_request>()[0].first != liar);
  }

  TEST_CASE("a peer that dies in the middle is replaced, and what came is kept") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    const auto first = x.questions<state_request>();
    REQUIRE(first.size() == 4);
    const auto dead = first[0].first;
    x.step(link_lost{dead});
    std::size_t again = 0;
    for (const auto& [peer, what] : x.questions<state_request>()) {
      CHECK(peer != dead);
      ++again;
    }
    CHECK(again > 0);
  }

  TEST_CASE("a silent peer costs one period, and then others are preferred") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    const auto first = x.questions<state_request>();
    std::map<validator_id, unsigned> held;
    for (const auto& [peer, what] : first) {
      ++held[peer];
      if (peer != validator_id{1}) x.give(peer, what, what.count);
    }
    REQUIRE(held.contains(validator_id{1}));
    x.pass(1s);
    const auto again = x.questions<state_request>();
    CHECK(again.size() == held[validator_id{1}]);
    for (const auto& [peer, what] : again) CHECK(peer != validator_id{1});
  }

  TEST_CASE("a part that comes late is taken, and later parts get more time") {
    auto with = lost_store();
    with.range = 4096;  // sixteen parts, four at a time
    bench x(with);
    x.all_answer(30);
    x.get_ledger();
    const auto first = x.questions<state_request>();
    REQUIRE(first.size() == 4);
    x.pass(1s);
    const auto again = x.questions<state_request>();
    REQUIRE(again.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) CHECK(again[i].first != first[i].first);
    x.now += 500ms;
    CHECK(x.give(first[0].first, first[0].second, 4096).keep);
    for (std::size_t i = 1; i < 4; ++i) CHECK(x.give(again[i].first, again[i].second, 4096).keep);
    CHECK(x.pass(1999ms).questions.empty());
    CHECK(x.pass(1ms).questions.size() == 4);
  }

  TEST_CASE("wrong buckets are not kept, and the liar is asked no more") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    const auto first = x.questions<state_request>();
    const auto liar = first[0].first;
    CHECK(!x.give(liar, first[0].second, 16384, state_received::outcome::wrong).keep);
    CHECK(x.logic.buckets_kept() == 0);
    x.pass(1s);
    for (const auto& [peer, what] : x.questions<state_request>()) CHECK(peer != liar);
  }

  TEST_CASE("more buckets than were asked for are wrong") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    const auto first = x.questions<state_request>();
    CHECK(!x.give(first[0].first, first[0].second, 32768).keep);
  }

  TEST_CASE("when nobody keeps the checkpoint any more, a newer one is asked for") {
    bench x;
    x.all_answer(30);
    x.get_ledger();
    for (const auto& [peer, what] : x.questions<state_request>())
      x.give(peer, what, 0, state_received::outcome::gone);
    x.pass(1s);
    CHECK(x.questions<checkpoint_query>().size() == 3);
    CHECK(!x.logic.target());
    x.all_answer(40);
    CHECK(x.begun == 2);
    x.get_ledger();
    CHECK(x.give_all_state(bucket_count) == bucket_count);
    CHECK(x.done->checkpoint->index == commit_index{40});
  }

  TEST_CASE("what nobody asked for changes nothing") {
    bench x;
    x.step(ledger_received{validator_id{1}, {commit_index{30}, 0, {1}}});
    x.step(state_received{validator_id{1}, commit_index{30}, 0, 16384,
                          state_received::outcome::right});
    x.step(ledger_checked{true});
    x.answer(200, 100, 30);
    x.all_answer(30);
    const auto asked = x.questions<ledger_request>()[0].first;
    const validator_id other{static_cast<std::uint16_t>(asked.value % 3 + 1)};
    REQUIRE(other != asked);
    x.step(ledger_received{other, {commit_index{30}, 0, std::vector<byte>(300)}});
    CHECK(x.logic.ledger().empty());
  }

  TEST_CASE("a network of one asks nobody") {
    auto alone = left_behind(5);
    alone.validators = 1;
    alone.answers_needed = 0;
    core logic(alone);
    CHECK(logic.step({}, started{}).done.has_value());
  }
}
