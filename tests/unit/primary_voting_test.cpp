// Whom a primary votes for: every rule, what waits for later, and what is never voted for.
#include <doctest/doctest.h>

#include "tests/unit/primary_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// It was voted for, and for nothing else.
bool votes_for(const primary::effects& x, const header& h) {
  return x.votes.size() == 1 && x.votes[0].x.hdr.id == h.id && x.rejected.empty();
}
bool waits(const primary::effects& x) {
  return x.votes.empty() && x.rejected.empty() && x.repeat.empty();
}
bool refused(const primary::effects& x, reject why) {
  return x.votes.empty() && x.rejected == std::vector{why};
}

/// Rounds 1 to 4 are full.
struct after_round_4 : primary_bench {
  explicit after_round_4(std::size_t n = 4) : primary_bench(n) { full_rounds(4); }
};

}  // namespace

TEST_SUITE("primary voting") {
  TEST_CASE(
      "a header with a quorum of certified parents gets a vote, with its bytes to be stored") {
    after_round_4 b;
    const auto h = header_at(at(1, 5), {0, 1, 3});
    const auto x = b.receive(h);
    CHECK(votes_for(x, h));
    CHECK(x.votes[0].x.bytes.body.size() > 0);
    CHECK(x.hand_over.size() == 1);
  }

  TEST_CASE("a quorum is n - f parents, for every committee size") {
    for (const auto& [n, quorum] : {std::pair{4u, 3u}, {5u, 4u}, {6u, 5u}, {7u, 5u}}) {
      CAPTURE(n);
      primary_bench b(n);
      b.full_rounds(1);
      auto h = b.full(at(1, 2));
      h.parents.resize(quorum - 1);
      CHECK(refused(b.receive(h), reject::too_few_parents));
      h.parents.push_back(id_of(at(quorum - 1, 1)));
      CHECK(votes_for(b.receive(h), h));
    }
  }

  TEST_CASE("the same header again makes the stored vote leave again, and no second one") {
    after_round_4 b;
    const auto h = b.full(at(1, 5));
    b.receive(h);
    CHECK(b.core->screen(h) == dag::screening::ignore());
    for (const auto& x : {b.receive(h), b.step(primary::header_repeated{h})}) {
      CHECK(x.votes.empty());
      CHECK(x.rejected.empty());
      CHECK(x.repeat == std::vector{at(1, 5)});
    }
  }

  TEST_CASE("a second header of an author's round is refused, and both are kept as evidence") {
    after_round_4 b;
    const auto h = b.full(at(1, 5)), other = b.full(at(1, 5), {}, 1),
               third = b.full(at(1, 5), {}, 2);
    b.receive(h);
    const auto x = b.receive(other);
    CHECK(refused(x, reject::equivocation));
    REQUIRE(x.caught.size() == 1);
    CHECK(x.caught[0].where == at(1, 5));
    CHECK(x.caught[0].first == h.id);
    CHECK(!x.caught[0].first_bytes);  // they are stored with the vote
    CHECK(x.caught[0].second.body.size() > 0);
    // From then on even its signature is not looked at.
    CHECK(b.core->screen(third) == dag::screening::refuse(reject::equivocation));
    CHECK(b.receive(h).repeat.size() == 1);
  }

  TEST_CASE("a second header is refused also while the first one waits") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    h.payload = {b.entry(1)};
    CHECK(waits(b.receive(h)));
    const auto x = b.receive(b.full(at(1, 5), {}, 1));
    CHECK(refused(x, reject::equivocation));
    REQUIRE(x.caught.size() == 1);
    CHECK(x.caught[0].first == h.id);
    CHECK(x.caught[0].first_bytes.has_value());
    CHECK(votes_for(b.available(1, 1), h));
  }

  TEST_CASE("evidence of one author takes a bounded number of places") {
    primary_bench b;
    b.local.max_evidence = 2;
    b.boot();
    b.full_rounds(4);
    for (std::uint64_t round = 1; round <= 3; ++round) {
      b.receive(b.full(at(1, round)));
      const auto x = b.receive(b.full(at(1, round), {}, 1));
      REQUIRE(x.caught.size() == 1);
      CHECK(x.caught[0].slot == (round - 1) % 2);
    }
  }

  TEST_CASE("who it is from, of which epoch and which round is looked at first") {
    after_round_4 b;
    const auto check = [&](auto change, reject why) {
      auto h = b.full(at(1, 5));
      change(h);
      CHECK(b.core->screen(h) == dag::screening::refuse(why));
      CHECK(refused(b.receive(h), why));
    };
    check([](header& h) { h.author = v(4); }, reject::unknown_validator);
    check([](header& h) { h.author = v(0); }, reject::wrong_author);
    check([](header& h) { h.epoch = epoch_id{1}; }, reject::wrong_epoch);
    check([](header& h) { h.round = r(0); }, reject::round_too_low);
    check([](header& h) { h.round = r(5 + 4 + 50 + 1); }, reject::round_too_high);
    check([](header& h) { h.round = r(~std::uint64_t{0}); }, reject::round_too_high);
    b.commit(57, 7);
    check([](header& h) { h.round = r(7); }, reject::round_too_low);
  }

  TEST_CASE("wrong parents are refused for ever") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    h.parents = {};
    CHECK(refused(b.receive(h), reject::too_few_parents));
    h.parents = {id_of(at(0, 4)), id_of(at(1, 4)), id_of(at(1, 4))};
    CHECK(refused(b.receive(h), reject::duplicate_parent));
    h.parents = {id_of(at(0, 4)), id_of(at(1, 4)), id_of(at(2, 3))};
    CHECK(refused(b.receive(h), reject::wrong_parent_round));
    h.parents = {id_of(at(0, 4)), id_of(at(1, 4)), id_of(at(2, 5))};
    CHECK(waits(b.receive(h)));  // it may exist
    CHECK(refused(b.certify(b.full(at(2, 5))), reject::wrong_parent_round));
  }

  TEST_CASE("the parents of round 1 are genesis headers") {
    primary_bench b;
    auto h = header_at(at(1, 1), {0, 1, 2});
    h.parents[1] = id_of(at(7, 0));
    CHECK(refused(b.receive(h), reject::wrong_parent_round));
    const auto good = header_at(at(2, 1), {1, 2, 3});
    CHECK(votes_for(b.receive(good), good));
  }

  TEST_CASE("wrong weak links are refused for ever") {
    after_round_4 b;
    const auto check = [&](std::vector<dag_position> links) {
      CHECK(refused(b.receive(b.full(at(1, 5), std::move(links))), reject::bad_weak_links));
    };
    check({at(2, 2), at(1, 2)});
    check({at(1, 2), at(1, 2)});
    check({at(1, 3), at(1, 2)});
    check({at(1, 0)});
    check({at(1, 4)});
    check({at(1, 5)});
    check({at(4, 2)});
    check({at(0, 1), at(1, 1), at(2, 1), at(3, 1), at(0, 2)});
    // Two rounds above these there is none: they are not two rounds below the header.
    check({at(2, ~std::uint64_t{0})});
    check({at(1, 2), at(2, ~std::uint64_t{0} - 1)});
    auto h = b.full(at(1, 5), {at(2, 2)});
    h.weak_links[0].header = id_of(at(2, 1));  // known, but somewhere else
    CHECK(refused(b.receive(h), reject::bad_weak_links));
    const auto good = b.full(at(1, 5), {at(0, 1), at(3, 1), at(2, 3)});
    CHECK(votes_for(b.receive(good), good));
  }

  TEST_CASE(
      "a missing parent or weak link makes the header wait, and it is voted for when it comes") {
    primary_bench b;
    b.full_round(1, {0, 1, 2});
    b.full_round(2, {0, 1, 2});
    const auto h = header_at(at(1, 3), {0, 1, 3}, {at(3, 1)});
    CHECK(waits(b.receive(h)));
    CHECK(b.core->deferred() == 1);
    CHECK(b.core->screen(h) == dag::screening::ignore());
    CHECK(waits(b.certify(b.full(at(3, 2)))));  // the link is still missing
    CHECK(votes_for(b.certify(b.full(at(3, 1))), h));
    CHECK(b.core->deferred() == 0);
  }

  TEST_CASE("parents and weak links at or below the floor are ignored") {
    after_round_4 b;
    b.commit(53, 3);
    b.full_round(5);
    // Its parents are of round 3, which nobody knows any more.
    auto h = header_at(at(1, 4), {0, 1, 2}, {at(3, 1), at(3, 2)}, 1);
    h.parents[0] = id_of(at(9, 9));
    CHECK(votes_for(b.receive(h), h));
    const auto linking = header_at(at(1, 6), {0, 1, 2}, {at(2, 2), at(2, 4)});
    CHECK(votes_for(b.receive(linking), linking));
  }

  TEST_CASE(
      "a header that waits is voted for when the floor passes what it lacks, or dropped with it") {
    primary_bench b;
    b.full_round(1, {0, 1, 2});
    b.full_round(2, {0, 1, 2});
    const auto lacking = header_at(at(1, 3), {0, 1, 3});
    const auto old = header_at(at(2, 2), {0, 1, 3});
    CHECK(waits(b.receive(lacking)));
    CHECK(waits(b.receive(old)));
    const auto x = b.commit(52, 2);
    CHECK(votes_for(x, lacking));
    CHECK(b.core->deferred() == 0);
  }

  TEST_CASE("a vote needs every batch of the header, as the own worker stored it") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    h.payload = {b.entry(1), b.entry(2)};
    CHECK(waits(b.receive(h)));
    CHECK(waits(b.available(1, 2)));
    CHECK(votes_for(b.available(1, 1), h));
    // Known already.
    auto next = b.full(at(2, 5));
    next.payload = {b.entry(3)};
    b.available(2, 3);
    CHECK(votes_for(b.receive(next), next));
  }

  TEST_CASE("a payload that differs from what is stored is refused for ever") {
    after_round_4 b;
    b.available(1, 1);
    b.available(2, 2);
    const auto check = [&](auto change) {
      auto h = b.full(at(1, 5));
      h.payload = {b.entry(1)};
      change(h.payload);
      CHECK(refused(b.receive(h), reject::bad_payload));
    };
    check([](auto& p) { ++p[0].transactions; });
    check([](auto& p) { p[0].counts_digest.bytes[5] ^= 1; });
    check([](auto& p) { p.push_back(p[0]); });
    check([](auto& p) { p[0].worker = worker_id{1}; });
    check([](auto& p) { p = {primary_bench::entry(2)}; });  // another author's
    check([](auto& p) {
      for (unsigned i = 0; i < 256; ++i) p.push_back(primary_bench::entry(1000 + i));
    });
  }

  // Its author may not know that the log has output it: it restarted, or never heard.
  TEST_CASE("a batch that was committed is asked for, and voted for if the worker stores it") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    h.payload = {b.entry(1)};
    b.available(1, 1);
    b.receive(h);
    b.certify(h);
    b.commit(5, 0, {h.id});
    auto again = b.full(at(1, 6));
    again.parents.clear();
    for (unsigned a : {0, 1, 2}) again.parents.push_back(id_of(at(a, 5)));
    b.certify(b.full(at(0, 5)));
    b.certify(b.full(at(2, 5)));
    again.payload = {b.entry(1)};
    const auto x = b.receive(again);
    CHECK(waits(x));
    CHECK(x.ask == std::vector{primary::asked_batch{worker_id{0}, b.batch_id(1)}});
    CHECK(votes_for(b.available(1, 1), again));
  }

  TEST_CASE("the worker is asked once for what a header lacks, and again when it is met anew") {
    after_round_4 b;
    auto h = b.full(at(1, 5), {at(3, 3)});
    h.weak_links[0].header = id_of(at(3, 3), 1);
    h.payload = {b.entry(1), b.entry(2), b.entry(3)};
    h.payload[1].worker = worker_id{1};
    b.protocol.workers = 2;
    b.boot();
    b.full_rounds(4);
    b.available(1, 1);
    auto x = b.receive(h);
    CHECK(waits(x));
    CHECK(x.ask.empty());  // a link is missing: that comes first
    x = b.commit(53, 3);
    CHECK(waits(x));
    const primary::asked_batch second{worker_id{1}, b.batch_id(2)},
        third{worker_id{0}, b.batch_id(3)};
    CHECK(x.ask == std::vector{second, third});
    CHECK(b.receive(h).ask.empty());
    CHECK(b.commit(53, 3).ask.empty());
    CHECK(b.step(primary::worker_met{worker_id{1}}).ask == std::vector{second});
    b.available(1, 3);
    CHECK(b.step(primary::worker_met{worker_id{0}}).ask.empty());
  }

  TEST_CASE("as many batches of one author are known as the bound says") {
    primary_bench b;
    b.local.max_available_batches = 2;
    b.boot();
    b.full_rounds(4);
    for (unsigned i = 1; i <= 3; ++i) b.available(1, i);
    b.available(2, 9);
    const auto with = [&](unsigned author, unsigned batch) {
      auto h = b.full(at(author, 5), {}, batch);
      h.payload = {b.entry(batch)};
      return h;
    };
    CHECK(waits(b.receive(with(1, 1))));
    CHECK(votes_for(b.receive(with(2, 9)), with(2, 9)));
    CHECK(b.available(1, 3).votes.empty());  // known: saying it again changes nothing
    CHECK(votes_for(b.available(1, 1), with(1, 1)));
  }

  // Workers do not repeat themselves, and an author proposes its oldest batches first.
  TEST_CASE("a header with more batches than are known of its author is voted for all the same") {
    for (const bool header_first : {true, false}) {
      CAPTURE(header_first);
      primary_bench b;
      b.local.max_available_batches = 2;
      b.boot();
      b.full_rounds(4);
      auto h = b.full(at(1, 5));
      for (unsigned i = 1; i <= 6; ++i) h.payload.push_back(b.entry(i));
      primary::effects x;
      if (header_first) CHECK(b.receive(h).ask.size() == 6);
      for (unsigned i = 1; i <= 6; ++i) x = b.available(1, i);
      if (!header_first) {
        x = b.receive(h);
        CHECK(waits(x));
        std::vector<primary::asked_batch> oldest;
        for (unsigned i = 1; i <= 4; ++i) oldest.push_back({worker_id{0}, b.batch_id(i)});
        CHECK(x.ask == oldest);
        for (unsigned i = 1; i <= 4; ++i) x = b.available(1, i);
      }
      CHECK(votes_for(x, h));
    }
  }

  TEST_CASE("a coin share must be there exactly in odd rounds from 3 on, and be right") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    CHECK(refused(b.receive(h, false), reject::bad_coin_share));
    h.coin_share.clear();
    CHECK(refused(b.receive(h), reject::bad_coin_share));
    auto even = b.full(at(1, 4));
    even.coin_share.assign(97, 1);
    CHECK(refused(b.receive(even), reject::bad_coin_share));
    auto first = b.full(at(1, 1));
    first.coin_share.assign(97, 1);
    CHECK(refused(b.receive(first), reject::bad_coin_share));
  }

  TEST_CASE("one control record twice in a header is refused") {
    after_round_4 b;
    auto h = b.full(at(1, 5));
    h.control = {capacity_declaration{1, 5}, halt{}, capacity_declaration{1, 5}};
    CHECK(refused(b.receive(h), reject::bad_control_record));
    h.control = {capacity_declaration{1, 5}, capacity_declaration{2, 5}};
    CHECK(votes_for(b.receive(h), h));
  }

  TEST_CASE("no vote depends on a clock") {
    after_round_4 b;
    unsigned author = 1;
    for (const auto created_at : {time_point::min(), time_point{}, time_point::max()}) {
      auto h = b.full(at(author++, 5));
      h.created_at = created_at;
      CHECK(votes_for(b.receive(h), h));
    }
  }

  TEST_CASE("a header of a round that is too high waits until the rounds below are full") {
    after_round_4 b;
    // Rounds up to 5 + 4 may be voted for. What would make it wait besides is known to be there.
    auto h = b.full(at(1, 10));
    CHECK(waits(b.receive(h)));
    for (std::uint64_t round = 5; round <= 8; ++round) b.full_round(round, {0, 1, 2});
    b.certify(b.full(at(3, 8)));
    CHECK(b.core->deferred() == 1);
    for (unsigned a : {0, 1, 2}) CHECK(waits(b.certify(b.full(at(a, 9)))));
    CHECK(votes_for(b.certify(b.full(at(3, 9))), h));
  }

  TEST_CASE("headers that wait are bounded for each author, and the lowest rounds stay") {
    primary_bench b;
    b.local.max_pending_headers = 8;  // 2 for each of 4
    b.boot();
    b.full_rounds(4);
    const auto far = [&](unsigned author, std::uint64_t round) {
      return b.full(at(author, round));
    };
    CHECK(waits(b.receive(far(1, 20))));
    CHECK(waits(b.receive(far(1, 22))));
    CHECK(refused(b.receive(far(1, 23)), reject::too_many_pending));
    CHECK(b.core->deferred() == 2);
    CHECK(refused(b.receive(far(1, 11)), reject::too_many_pending));  // 22 made place
    CHECK(b.core->deferred() == 2);
    CHECK(b.core->screen(far(1, 11)) == dag::screening::ignore());
    CHECK(b.core->screen(far(1, 22)) == dag::screening::check());
    CHECK(waits(b.receive(far(2, 20))));
  }

  TEST_CASE("votes outlive a restart: the stored one is sent again, another header is refused") {
    primary_bench b;
    const auto h = b.full(at(1, 5));
    b.boot({{r(0), r(0)}, {{at(1, 5), h.id}}, {}});
    CHECK(b.step(primary::header_repeated{h}).repeat == std::vector{at(1, 5)});
    const auto x = b.receive(b.full(at(1, 5), {}, 1));
    CHECK(refused(x, reject::equivocation));
    CHECK(x.caught.size() == 1);
  }

  TEST_CASE(
      "a header that will never be voted for here is handed on all the same, unless malformed") {
    after_round_4 b;
    auto waiting = b.full(at(1, 5));
    waiting.payload = {b.entry(1)};
    CHECK(b.receive(waiting).hand_over.size() == 1);
    auto malformed = b.full(at(2, 5));
    malformed.parents.clear();
    CHECK(b.receive(malformed).hand_over.empty());
  }

  TEST_CASE("after a lost store nothing is voted for up to the bar, and the header is handed on") {
    primary_bench b;
    b.boot({{}, {}, {}, {}, round_number{3}});
    for (std::uint64_t round = 1; round <= 3; ++round) {
      const auto x = b.receive(b.full(at(1, round)));
      CHECK(x.votes.empty());
      CHECK(x.rejected == std::vector{reject::barred});
      CHECK(x.hand_over.size() == 1);
      b.full_round(round);
    }
    CHECK(b.receive(b.full(at(1, 4))).votes.size() == 1);
  }
}
