// Completeness, and how what is missing is fetched and served.
#include <doctest/doctest.h>

#include <set>

#include "messages/dag_limits.hpp"
#include "tests/unit/certificate_aggregator_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

using dag::screening;

std::vector<validator_id> asked(const aggregator::effects& x) {
  std::vector<validator_id> all;
  for (const auto& request : x.requests) all.push_back(request.peer);
  return all;
}

/// Round 1 is full but for validator 3's header, which `who`'s header of round 2 has as a parent.
struct lacking : aggregator_bench {
  explicit lacking(unsigned who = 1) {
    for (unsigned a : {0, 1, 2}) learn(full(at(a, 1)));
    learn(full(at(who, 2)));
  }
};

}  // namespace

TEST_SUITE("certificate aggregator fetch") {
  TEST_CASE("a certified header is given out when all its parents and weak links have been") {
    aggregator_bench b;
    const auto top = b.full(at(1, 3), {at(3, 1)});
    b.learn(top);
    for (unsigned a : {0, 1, 2, 3}) b.learn(header_at(at(a, 2), {0, 1, 2}));
    CHECK(b.given.empty());
    CHECK(b.core->waiting() == 5);
    for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
    CHECK(b.given.size() == 3 + 4);
    b.learn(b.full(at(3, 1)));
    REQUIRE(b.given.size() == 9);
    CHECK(b.given.back() == at(1, 3));
    CHECK(b.core->waiting() == 0);
    std::set<dag_position> before;
    for (const auto where : b.given) {
      if (where.round == r(2)) CHECK(before.contains(at(0, 1)));
      CHECK(before.insert(where).second);
    }
  }

  TEST_CASE("what lacks only dead ancestors is complete when the floor has passed them") {
    lacking b;
    CHECK(b.core->waiting() == 1);
    b.step(aggregator::floor_raised{r(1)});
    CHECK(b.given.back() == at(1, 2));
    CHECK(b.core->waiting() == 0);
    CHECK(b.core->fetching() == 0);
  }

  // Voters whose floor has passed a link's place did not look at what it names.
  TEST_CASE(
      "a link that puts a known header in another place is missing until the floor passes it") {
    const auto check = [](auto change) {
      aggregator_bench b;
      for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
      for (std::uint64_t round = 2; round <= 5; ++round)
        for (unsigned a : {0, 1, 2}) b.learn(header_at(at(a, round), {0, 1, 2}));
      auto x = header_at(at(3, 6), {0, 1, 2});
      change(x);
      b.learn(x);
      CHECK(b.given.size() == 15);
      CHECK(b.core->waiting() == 1);
      // It is here already: nobody is asked for it.
      for (int i = 0; i < 20; ++i) CHECK(b.wait(1s).requests.empty());
      b.step(aggregator::floor_raised{r(2)});
      CHECK(b.core->waiting() == 1);
      b.step(aggregator::floor_raised{r(5)});
      CHECK(b.core->waiting() == 0);
      CHECK(b.given.back() == at(3, 6));
    };
    // Nobody is in its place, or another one is, or the round is another one.
    check([](header& x) { x.weak_links = {{at(3, 3), id_of(at(0, 5))}}; });
    check([](header& x) { x.weak_links = {{at(2, 3), id_of(at(0, 3))}}; });
    check([](header& x) { x.parents[1] = id_of(at(1, 4)); });
  }

  TEST_CASE("what comes to another place than a link says does not complete who links it") {
    aggregator_bench b;
    for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
    const auto late = b.full(at(3, 1));
    for (unsigned a : {0, 1, 2}) b.learn(header_at(at(a, 2), {0, 1, 2}));
    for (unsigned a : {0, 1, 2}) b.learn(header_at(at(a, 3), {0, 1, 2}));
    auto liar = header_at(at(3, 4), {0, 1, 2});
    liar.weak_links = {{at(3, 2), late.id}};
    b.learn(liar);
    const auto honest = header_at(at(0, 4), {0, 1, 2}, {at(3, 1)});
    b.learn(honest);
    CHECK(b.core->waiting() == 2);
    b.learn(late);
    CHECK(b.given.back() == at(0, 4));
    CHECK(b.core->waiting() == 1);
    CHECK(b.core->fetching() == 0);  // it is asked for under neither place
    CHECK(b.wait(1h).requests.empty());
    b.step(aggregator::floor_raised{r(2)});
    CHECK(b.given.back() == at(3, 4));
  }

  TEST_CASE("what is at or below the floor is dropped, and its successors do not wait for it") {
    aggregator_bench b;
    b.certificate_for(b.full(at(1, 2)));
    b.learn(b.full(at(2, 2)));
    b.know(b.full(at(3, 1)));
    const auto x = b.step(aggregator::floor_raised{r(2)});
    CHECK(x.store_floor == r(2));
    CHECK(b.core->waiting() == 0);
    CHECK(b.given.empty());
    CHECK(b.learn(b.full(at(1, 3))).complete.size() == 1);
    CHECK(!b.step(aggregator::floor_raised{r(1)}).store_floor);
  }

  TEST_CASE(
      "a missing ancestor is asked of the author who links it, then of the signers, one at a "
      "time") {
    lacking b(2);
    std::vector<validator_id> sources;
    CHECK(b.wait(b.local.fetch_delay - 1ns).requests.empty());
    auto x = b.wait(1ns);
    for (int turn = 0; turn < 3; ++turn) {
      REQUIRE(x.requests.size() == 1);
      CHECK(x.requests[0].what.headers == std::vector{id_of(at(3, 1))});
      sources.push_back(x.requests[0].peer);
      CHECK(b.wait(b.local.fetch_retry - 1ns).requests.empty());
      x = b.wait(1ns);
    }
    CHECK(sources[0] == v(2));
    CHECK(std::set(sources.begin(), sources.end()) == std::set{v(1), v(2), v(3)});
    // All were asked in vain: from now on more slowly.
    CHECK(b.wait(b.local.fetch_retry).requests.empty());
    CHECK(b.wait(b.local.fetch_retry).requests.size() == 1);
  }

  TEST_CASE("an answer ends the questions, and is not asked for again") {
    lacking b;
    const auto x = b.wait(b.local.fetch_delay);
    REQUIRE(asked(x) == std::vector{v(1)});
    CHECK(b.core->screen(v(1), b.certified(b.full(at(3, 1)))) == screening::check());
    CHECK(b.answer(1, b.full(at(3, 1))).complete.size() == 2);
    CHECK(b.core->fetching() == 0);
    CHECK(b.wait(1h).requests.empty());
    CHECK(b.core->screen(v(2), b.certified(b.full(at(3, 1)))) == screening::ignore());
  }

  TEST_CASE("a peer whose link is down is passed over") {
    lacking b;
    b.step(aggregator::link_lost{v(1)});
    const auto x = b.wait(b.local.fetch_delay);
    REQUIRE(x.requests.size() == 1);
    CHECK(x.requests[0].peer != v(1));
    for (unsigned peer : {2, 3}) b.step(aggregator::link_lost{v(peer)});
    CHECK(b.wait(1h).requests.empty());
    b.step(aggregator::link_restored{v(3)});
    CHECK(asked(b.wait(1h)) == std::vector{v(3)});
  }

  TEST_CASE("an answer that nobody asked for is refused") {
    aggregator_bench b;
    const auto x = b.certified(b.full(at(3, 1)));
    CHECK(b.core->screen(v(1), x) == screening::refuse(reject::not_requested));
    CHECK(b.answer(1, b.full(at(3, 1))).rejected == std::vector{reject::not_requested});
    auto other_epoch = x;
    other_epoch.hdr.epoch = epoch_id{9};
    CHECK(b.core->screen(v(1), other_epoch) == screening::refuse(reject::wrong_epoch));
  }

  TEST_CASE("a certificate without its header is asked for, soon") {
    aggregator_bench b;
    b.certificate_for(b.full(at(2, 1)));
    CHECK(b.core->next_deadline() == b.now + b.local.fetch_delay);
    const auto x = b.wait(b.local.fetch_delay);
    REQUIRE(x.requests.size() == 1);
    CHECK(x.requests[0].peer == v(2));
    CHECK(x.requests[0].what.headers == std::vector{id_of(at(2, 1))});
    // The header alone is enough: its certificate was checked.
    CHECK(b.core->screen(v(2), b.certified(b.full(at(2, 1)))) == screening::check());
  }

  TEST_CASE(
      "what only an uncertified header names is asked of its author alone, ever more rarely, as "
      "long as the header is kept") {
    aggregator_bench b;
    b.local.max_headers_of_author = 2;
    b.boot();
    for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
    b.know(b.full(at(2, 2)));
    const auto questions = [&](int tenths) {
      unsigned n = 0;
      for (int i = 0; i < tenths; ++i)
        for (const auto& request : b.wait(100ms).requests) {
          CHECK(request.peer == v(2));
          CHECK(request.what.headers == std::vector{id_of(at(3, 1))});
          ++n;
        }
      return n;
    };
    CHECK(questions(10) == 3);
    const auto later = questions(100);
    CHECK(later >= 3);
    CHECK(later <= 6);
    // However many were lost.
    CHECK(questions(1000) > 20);
    for (std::uint64_t round : {3, 4}) b.know(header_at(at(2, round), {}));
    CHECK(b.core->fetching() == 0);
    CHECK(questions(100) == 0);
  }

  TEST_CASE(
      "what an uncertified header of a round far ahead names is asked for when that is near") {
    aggregator_bench b;
    b.full_rounds(1);
    b.know(header_at(at(2, 12), {0, 1, 2}));
    CHECK(b.wait(10s).requests.empty());
    for (std::uint64_t round = 2; round <= 10; ++round) b.full_round(round);
    const auto x = b.wait(1s);
    REQUIRE(x.requests.size() == 1);
    CHECK(x.requests[0].peer == v(2));
    CHECK(x.requests[0].what.headers.size() == 3);
  }

  TEST_CASE(
      "an author's invented links keep nobody else's hint waiting, whether it answers or not") {
    for (const bool up : {true, false}) {
      aggregator_bench b;
      for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
      for (std::uint64_t round = 2; round <= 52; ++round)
        for (unsigned a : {0, 1, 2}) b.learn(header_at(at(a, round), {0, 1, 2}));
      unsigned invented = 0;
      for (std::uint64_t round = 3; round <= 52; ++round) {
        auto x = header_at(at(3, round), {});
        for (unsigned i = 0; i < 4; ++i) x.parents.push_back(id_of(at(i, round - 1), ++invented));
        for (unsigned i = 0; i < 4; ++i)
          x.weak_links.push_back({at(i, 1), id_of(at(i, 1), ++invented)});
        b.know(x);
      }
      b.wait(1s);
      if (!up) b.step(aggregator::link_lost{v(3)});
      // A certificate of validator 3 came to validator 1 alone.
      b.know(header_at(at(1, 53), {0, 1, 3}));
      const auto p = id_of(at(3, 52));
      bool asked_1 = false;
      for (int i = 0; i < 10; ++i)
        for (const auto& request : b.wait(100ms).requests)
          if (request.peer == v(1)) asked_1 = asked_1 || request.what.headers == std::vector{p};
      CHECK(asked_1);
    }
  }

  TEST_CASE("questions to who may have invented a header do not delay those to who signed for it") {
    aggregator_bench b;
    for (unsigned a : {0, 1, 2}) b.learn(b.full(at(a, 1)));
    b.know(b.full(at(2, 2)));
    for (int i = 0; i < 600; ++i) b.wait(100ms);
    for (int i = 0; i < 10'000 && asked(b.wait(1ms)).empty(); ++i) continue;
    b.learn(b.full(at(1, 2)));
    const auto x = b.wait(b.local.fetch_delay);
    REQUIRE(x.requests.size() == 1);
    CHECK(x.requests[0].what.headers == std::vector{id_of(at(3, 1))});
    std::set<validator_id> peers{x.requests[0].peer};
    for (int i = 0; i < 2; ++i)
      for (const auto& request : b.wait(b.local.fetch_retry).requests) peers.insert(request.peer);
    CHECK(peers.size() == 3);
  }

  TEST_CASE("what was asked for in vain lets what is new go first") {
    aggregator_bench b;
    b.local.max_fetches = 2;
    b.boot();
    b.full_rounds(3);
    // Two certified headers that link to nothing, and then one that lacks a real ancestor.
    for (unsigned a : {2, 3}) {
      auto x = b.full(at(a, 4));
      x.weak_links = {{at(a, 1), id_of(at(a, 1), 7)}};
      b.learn(x);
    }
    for (int i = 0; i < 200; ++i) b.wait(100ms);
    const auto headers = [](const aggregator::effects& x) {
      std::size_t n = 0;
      for (const auto& request : x.requests) n += request.what.headers.size();
      return n;
    };
    for (int i = 0; i < 10'000 && headers(b.wait(1ms)) < 2; ++i) continue;  // both places are taken
    b.learn(b.full(at(1, 5)));
    bool found = false;
    for (int i = 0; i < 5; ++i)
      for (const auto& request : b.wait(100ms).requests)
        for (const auto& id : request.what.headers) found = found || id == id_of(at(0, 4));
    CHECK(found);
  }

  TEST_CASE("questions are bounded in all, and in each request, and the lowest rounds go first") {
    aggregator_bench b(7);
    b.local.max_fetches = 3;
    b.boot();
    // Certificates without headers in rounds 1 and 2.
    for (std::uint64_t round : {2, 1})
      for (unsigned a = 1; a < 7; ++a) b.certificate_for(b.full(at(a, round)));
    std::vector<digest> first;
    for (const auto& request : b.wait(b.local.fetch_delay).requests)
      first.insert(first.end(), request.what.headers.begin(), request.what.headers.end());
    CHECK(first.size() == 3);
    for (const auto& id : first) CHECK(id.bytes[1] == 1);  // of round 1

    aggregator::fetcher many(v(0), 4, local_parameters{});
    dag::author_set up(4);
    up.add(v(1));
    for (unsigned i = 0; i < 100; ++i) many.want(r(1), id_of(at(i, 1)), {v(1)}, b.now, {});
    const auto requests = many.ask(b.now, r(9), up);
    REQUIRE(requests.size() == 1);
    CHECK(requests[0].what.headers.size() == max_requested_headers);
    CHECK(many.ask(b.now, r(9), up).size() == 1);
    CHECK(many.ask(b.now, r(9), up).empty());
  }

  TEST_CASE("a certificate far ahead makes the rounds between be asked for in ranges") {
    aggregator_bench b;
    b.full_rounds(2);
    CHECK(b.certificate_for(b.full(at(1, 2 + 4))).range_requests.empty());
    const auto x = b.certificate_for(b.full(at(1, 40)));
    REQUIRE(x.range_requests.size() == 1);
    CHECK(x.range_requests[0].what.first == r(2));
    CHECK(x.range_requests[0].what.last == r(21));
    const auto peer = x.range_requests[0].peer.value;
    CHECK(b.core->screen(v(peer), b.certified(b.full(at(1, 3)))) == screening::check());
    CHECK(b.core->screen(v(peer % 3 + 1), b.certified(b.full(at(1, 3)))) ==
          screening::refuse(reject::not_requested));
    CHECK(b.core->screen(v(peer), b.certified(b.full(at(1, 22)))) ==
          screening::refuse(reject::not_requested));
    // The next chunk is asked for, of the same peer, when this one is here.
    for (std::uint64_t round = 3; round <= 21; ++round)
      for (unsigned a = 0; a < 4; ++a) {
        const auto y = b.answer(peer, b.full(at(a, round)));
        CHECK(y.complete.size() == 1);
        if (y.range_requests.empty()) continue;
        CHECK(round == 21);
        CHECK(y.range_requests[0].peer == v(peer));
        CHECK(y.range_requests[0].what.first == r(21));
        CHECK(y.range_requests[0].what.last == r(40));
      }
    CHECK(b.core->round() == r(21));
  }

  TEST_CASE("a peer that stops answering a range is left for another") {
    aggregator_bench b;
    b.full_rounds(1);
    const auto x = b.certificate_for(b.full(at(1, 40)));
    REQUIRE(x.range_requests.size() == 1);
    const auto first = x.range_requests[0].peer;
    b.now += b.local.fetch_retry / 2;
    b.answer(first.value, b.full(at(1, 2)));  // progress: it gets more time
    CHECK(b.wait(b.local.fetch_retry - 1ns).range_requests.empty());
    const auto y = b.wait(1ns);
    REQUIRE(y.range_requests.size() == 1);
    const auto second = y.range_requests[0].peer;
    CHECK(second != first);
    const auto third = b.wait(b.local.fetch_retry).range_requests.at(0).peer;
    CHECK((third != first && third != second));  // the first one is asked last from then on
  }

  TEST_CASE("no single question goes out for what a range will bring") {
    aggregator_bench b;
    b.full_rounds(1);
    b.learn(b.full(at(1, 30)));
    CHECK(b.wait(b.local.fetch_delay).requests.empty());
    CHECK(b.core->next_deadline() > b.now);
  }

  TEST_CASE("stored headers are served by identity, unknown ones are passed over") {
    lacking b;
    const auto x = b.step(aggregator::headers_requested{
        v(3), {{id_of(at(0, 1)), id_of(at(3, 1)), id_of(at(2, 1)), id_of(at(1, 2))}}});
    REQUIRE(x.serve.size() == 2);  // what is incomplete is not vouched for
    CHECK(x.serve[0].peer == v(3));
    CHECK(x.serve[0].what == at(0, 1));
    CHECK(x.serve[1].what == at(2, 1));
  }

  TEST_CASE("ranges are served in bounded pieces") {
    aggregator_bench b;
    const auto x = b.step(aggregator::range_requested{v(3), {r(5), r(1'000'000)}});
    REQUIRE(x.serve_ranges.size() == 1);
    CHECK(x.serve_ranges[0].what.first == r(5));
    CHECK(x.serve_ranges[0].what.last == r(5 + max_requested_rounds - 1));
    const auto top = r(~std::uint64_t{0});
    CHECK(b.step(aggregator::range_requested{v(2), {top, top}}).serve_ranges.size() == 1);
  }

  TEST_CASE("a flood of requests is refused, others are served, and the flooder is again, later") {
    aggregator_bench b;
    b.local.served_per_second = 100;
    b.boot();
    b.full_rounds(1);
    const auto ask = [&](unsigned from) {
      return b.step(
          aggregator::headers_requested{v(from), {std::vector<digest>(50, id_of(at(1, 1)))}});
    };
    CHECK(ask(3).serve.size() == 50);
    CHECK(ask(3).serve.size() == 50);
    CHECK(ask(3).rejected == std::vector{reject::too_many_requests});
    CHECK(b.step(aggregator::range_requested{v(3), {r(1), r(9)}}).rejected ==
          std::vector{reject::too_many_requests});
    CHECK(ask(2).serve.size() == 50);
    b.now += 500ms;
    CHECK(ask(3).serve.size() == 50);
    CHECK(ask(3).serve.empty());
    CHECK(b.step(aggregator::headers_requested{v(7), {}}).rejected ==
          std::vector{reject::unknown_validator});
  }

  TEST_CASE("history beyond what is kept is deleted and served no more") {
    aggregator_bench b;
    b.local.history_rounds = 2;
    b.boot();
    b.full_rounds(6);
    b.checkpoints_at(5);
    CHECK(b.step(aggregator::floor_raised{r(6)}).forget == r(4));
    const auto x =
        b.step(aggregator::headers_requested{v(1), {{id_of(at(1, 3)), id_of(at(1, 4))}}});
    REQUIRE(x.serve.size() == 1);
    CHECK(x.serve[0].what == at(1, 4));
  }

  TEST_CASE("what follows a checkpoint that others may come back from is kept and served") {
    aggregator_bench b;
    b.local.history_rounds = 0;
    b.protocol.checkpoint_anchors = 10;
    b.boot();
    b.full_rounds(40);
    const auto commit = [&](std::uint64_t index) {
      return b.step(aggregator::floor_raised{r(index / 2), commit_index{index}}).forget;
    };
    for (std::uint64_t index = 2; index < 30; index += 2) CHECK(!commit(index));
    CHECK(commit(30) == r(6));  // the floors of checkpoints 10, 20 and 30 are 5, 10 and 15
    for (std::uint64_t index = 32; index < 40; index += 2) CHECK(!commit(index));
    CHECK(commit(40) == r(11));
  }

  TEST_CASE("who asks for rounds that are gone hears from where on there are some") {
    aggregator_bench b;
    b.local.history_rounds = 2;
    b.boot();
    b.full_rounds(8);
    b.checkpoints_at(6);
    b.step(aggregator::floor_raised{r(7)});
    const auto gone = b.step(aggregator::range_requested{v(3), {r(4), r(9)}});
    REQUIRE(gone.gone.size() == 1);
    CHECK(gone.gone[0].peer == v(3));
    CHECK(gone.gone[0].what.first_kept == r(5));
    CHECK(gone.serve_ranges.empty());
    const auto here = b.step(aggregator::range_requested{v(3), {r(5), r(9)}});
    CHECK(here.gone.empty());
    CHECK(here.serve_ranges.size() == 1);
  }

  TEST_CASE("f+1 peers that do not keep what comes next mean that only a checkpoint helps") {
    aggregator_bench b;
    b.full_rounds(2);
    // Far ahead: rounds 3 and on are missing.
    auto x = b.certificate_for(b.full(at(1, 60)));
    const auto asked = [&] {
      REQUIRE(x.range_requests.size() == 1);
      return x.range_requests[0].peer;
    };
    const auto first = asked();
    const aggregator::range_missing from_nobody{v(0), {r(50)}};
    CHECK(b.step(from_nobody).rejected == std::vector{reject::not_requested});
    x = b.step(aggregator::range_missing{first, {r(50)}});
    CHECK(!x.left_behind);
    const auto second = asked();  // at once
    CHECK(second != first);
    CHECK(b.step(aggregator::range_missing{first, {r(50)}}).rejected ==
          std::vector{reject::not_requested});
    CHECK(b.step(aggregator::range_missing{second, {r(50)}}).left_behind);
  }

  TEST_CASE("a range that comes when another peer was asked already is taken") {
    aggregator_bench b;
    b.full_rounds(2);
    auto x = b.certificate_for(b.full(at(1, 60)));
    REQUIRE(x.range_requests.size() == 1);
    const auto first = x.range_requests[0].peer;
    b.now += b.local.fetch_retry;
    x = b.step(aggregator::ticked{});
    REQUIRE(x.range_requests.size() == 1);
    CHECK(x.range_requests[0].peer != first);
    CHECK(b.core->screen(first, b.certified(b.full(at(1, 3)))) == dag::screening::check());
  }
}
