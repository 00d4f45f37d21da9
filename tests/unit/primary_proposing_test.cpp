// When a primary proposes a header, and what is in it.
#include <doctest/doctest.h>

#include "tests/unit/primary_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// A primary that has begun.
struct started : primary_bench {
  explicit started(std::size_t n = 4) : primary_bench(n) { start(); }
  void start() { step(primary::started{}); }
  /// Proposes and certifies the own header of the next round, after the longest wait.
  header next_own() {
    const auto own = propose(1s);
    REQUIRE(own);
    certify(*own);
    return *own;
  }
  std::vector<digest> batches_of(const header& x) const {
    std::vector<digest> all;
    for (const auto& e : x.payload) all.push_back(e.batch);
    return all;
  }
};

std::vector<dag_position> links_of(const header& x) {
  std::vector<dag_position> all;
  for (const auto& link : x.weak_links) all.push_back(link.position);
  return all;
}

}  // namespace

TEST_SUITE("primary proposing") {
  TEST_CASE("the first header leaves after the longest wait, and with a batch at once") {
    started idle;
    CHECK(idle.core->next_deadline() == idle.now + idle.local.max_header_delay);
    CHECK(!idle.propose(idle.local.max_header_delay - 1ns));
    const auto own = idle.propose(1ns);
    REQUIRE(own);
    CHECK(own->round == r(1));
    CHECK(own->author == v(0));
    CHECK(own->parents ==
          std::vector{id_of(at(0, 0)), id_of(at(1, 0)), id_of(at(2, 0)), id_of(at(3, 0))});
    CHECK(own->weak_links.empty());
    CHECK(!own->queue_delay);
    CHECK(!idle.core->next_deadline());

    started busy;
    const auto full = busy.sign(busy.available(0, 7, 3ms));
    REQUIRE(full);
    CHECK(full->payload == std::vector{busy.entry(7)});
    CHECK(full->queue_delay == 3ms);
  }

  TEST_CASE("nothing is proposed before the neighbours are known") {
    primary_bench b;
    b.available(0, 1);
    CHECK(!b.propose(10s));
  }

  TEST_CASE(
      "a header waits for late parents, but not longer than the grace, and takes all there are") {
    started b;
    b.next_own();
    b.available(0, 1);
    b.certify(b.full(at(1, 1)));
    CHECK(!b.core->next_deadline());  // no quorum
    b.certify(b.full(at(2, 1)));
    CHECK(b.core->next_deadline() == b.now + b.local.parent_grace);
    CHECK(!b.propose(b.local.parent_grace - 1ns));
    const auto own = b.propose(1ns);
    REQUIRE(own);
    CHECK(own->round == r(2));
    CHECK(own->parents == std::vector{id_of(at(0, 1)), id_of(at(1, 1)), id_of(at(2, 1))});
  }

  TEST_CASE("with all parents there the header leaves at once") {
    started b;
    b.next_own();
    b.available(0, 1);
    b.full_round(1, {1, 2});
    const auto own = b.sign(b.certify(b.full(at(3, 1))));
    REQUIRE(own);
    CHECK(own->parents.size() == 4);
  }

  TEST_CASE("the grace is a tenth of the mean round where rounds are short") {
    started b;
    b.local.parent_grace = 1000ms;
    b.local.header_payload_target = 1000;
    b.boot();
    b.start();
    for (std::uint64_t round = 1; round <= 60; ++round) {
      b.now += 20ms;
      b.full_round(round);
    }
    b.available(0, 1);
    b.certify(b.full(at(1, 61)));
    b.certify(b.full(at(2, 61)));
    b.now += 20ms;
    b.certify(b.full(at(3, 61)));
    REQUIRE(b.core->next_deadline());
    const auto grace = *b.core->next_deadline() - b.now;
    CHECK(grace <= 40ms);
  }

  TEST_CASE("one header for each round, and none for rounds that others have left behind") {
    started b;
    b.next_own();
    CHECK(!b.propose(10s));
    // In one go: the time to wait for more parents is not over before the next round is full.
    for (std::uint64_t round = 1; round <= 3; ++round) b.full_round(round, {1, 2, 3});
    const auto own = b.propose(1s);
    REQUIRE(own);
    CHECK(own->round == r(4));
    CHECK(!b.propose(10s));
  }

  TEST_CASE("older certified headers that nothing in the history links are linked weakly, once") {
    started b;
    b.full_round(1, {0, 1, 2});
    b.full_round(2, {0, 1, 2});
    b.certify(b.full(at(3, 1)));
    b.certify(b.full(at(3, 2)));  // its parents are all of round 1
    // Round 2 of validators 0 to 2 has all of round 1 as parents here, so that only what they lack
    // counts: make a round whose headers lack something.
    b.certify(header_at(at(0, 3), {0, 1, 2}));
    b.certify(header_at(at(1, 3), {0, 1, 2}));
    b.certify(header_at(at(2, 3), {0, 1, 2}));
    const auto own = b.propose(1s);
    REQUIRE(own);
    CHECK(own->round == r(4));
    CHECK(links_of(*own) == std::vector{at(3, 2)});
    b.certify(*own);
    b.certify(header_at(at(1, 4), {0, 1, 2}));
    b.certify(header_at(at(2, 4), {0, 1, 2}));
    const auto next = b.propose(1s);
    REQUIRE(next);
    CHECK(next->round == r(5));
    CHECK(links_of(*next).empty());
  }

  TEST_CASE(
      "weak links ascend, a link brings its own history, and the last round but one is the "
      "highest") {
    started b(7);
    // Validators 5 and 6 are linked by nobody; 6's header of round 3 links 6's of round 2.
    for (std::uint64_t round = 1; round <= 4; ++round)
      for (unsigned a = 0; a < 5; ++a) b.certify(header_at(at(a, round), {0, 1, 2, 3, 4}));
    b.certify(header_at(at(6, 1), {0, 1, 2, 3, 4}));
    b.certify(header_at(at(5, 2), {0, 1, 2, 3, 4}));
    b.certify(header_at(at(6, 2), {0, 1, 2, 3, 6}));
    b.certify(header_at(at(6, 3), {0, 1, 2, 3, 6}));
    b.certify(header_at(at(5, 4), {0, 1, 2, 3, 4}));
    const auto own = b.propose(1s);
    REQUIRE(own);
    CHECK(own->round == r(5));
    CHECK(own->parents.size() == 6);
    CHECK(links_of(*own) == std::vector{at(5, 2), at(6, 3)});
    for (const auto& link : own->weak_links) CHECK(link.header == id_of(link.position));
  }

  TEST_CASE("an own header that was certified late is linked") {
    started b;
    const auto first = b.propose(1s);
    REQUIRE(first);
    b.full_round(1, {1, 2, 3});
    for (unsigned a : {1, 2, 3}) b.certify(header_at(at(a, 2), {1, 2, 3}));
    b.certify(*first);
    const auto own = b.propose(1s);
    REQUIRE(own);
    CHECK(own->round == r(3));
    CHECK(links_of(*own) == std::vector{at(0, 1)});
  }

  TEST_CASE("what is at or below the floor is not linked") {
    started b;
    b.full_round(1, {0, 1, 2});
    for (std::uint64_t round = 2; round <= 4; ++round)
      for (unsigned a : {0, 1, 2}) b.certify(header_at(at(a, round), {0, 1, 2}));
    b.certify(b.full(at(3, 1)));
    b.commit(51, 1);
    const auto own = b.propose(1s);
    REQUIRE(own);
    CHECK(links_of(*own).empty());
  }

  TEST_CASE("created_at grows, also when the clock goes back, and after a restart") {
    started b;
    const auto first = b.next_own();
    CHECK(first.created_at == b.now);
    b.full_round(1);
    b.now -= 10s;
    b.step(primary::started{});
    const auto second = b.propose(1s);
    REQUIRE(second);
    CHECK(second->created_at == first.created_at + 1ns);

    started again;
    again.boot({{}, {}, {{b.with_bytes(first), false}, {b.with_bytes(*second), false}}});
    again.now -= 1h;
    again.start();
    again.full_rounds(2);
    const auto third = again.propose(1s);
    REQUIRE(third);
    CHECK(third->round == r(3));
    CHECK(third->created_at == second->created_at + 1ns);
  }

  TEST_CASE("the queue delay is the mean wait of the batches since the last header") {
    started b;
    b.next_own();
    b.available(0, 1, 10ms);
    b.available(0, 2, 20ms);
    b.available(0, 3, 60ms);
    b.full_round(1);
    CHECK(b.proposed.back().queue_delay == 30ms);
    started c;
    CHECK(c.sign(c.available(0, 9, 0ms))->queue_delay == 0ms);
    started d;
    d.local.header_payload_target = 10;
    d.boot();
    d.start();
    d.available(0, 1, 10ms);
    d.available(0, 2, 20ms);
    d.available(0, 2, 20ms);  // said again
    d.available(0, 3, 61ms);
    const auto own = d.next_own();
    CHECK(own.queue_delay == std::chrono::microseconds{91'000 / 3});
    d.full_round(1);
    CHECK(!d.next_own().queue_delay);
  }

  TEST_CASE("a batch is proposed once, in the order of availability") {
    started b;
    b.local.header_payload_target = 10;
    b.boot();
    b.start();
    for (unsigned i : {3, 1, 2, 1}) b.available(0, i);
    CHECK(b.batches_of(b.next_own()) == std::vector{b.batch_id(3), b.batch_id(1), b.batch_id(2)});
    b.available(0, 1);
    b.full_round(1);
    CHECK(b.batches_of(b.next_own()).empty());
  }

  TEST_CASE(
      "a header's payload keeps the bounds on entries and bytes, the rest goes into the next") {
    started b;
    b.protocol.max_payload_entries = 3;
    b.local.header_payload_target = 10;
    b.boot();
    b.start();
    for (unsigned i = 1; i <= 5; ++i) b.available(0, i);
    CHECK(b.next_own().payload.size() == 3);
    b.full_round(1);
    CHECK(b.next_own().payload.size() == 2);

    started c;
    c.protocol.max_header_bytes = 10'000;
    c.protocol.max_control_records = 1;
    c.local.header_payload_target = 10;
    c.boot();
    c.start();
    for (unsigned i = 1; i <= 5; ++i) {
      const auto e = c.entry(i);
      c.step(primary::batch_announced{{e.batch,
                                       v(0),
                                       e.worker,
                                       e.transactions,
                                       e.counts_digest,
                                       std::vector<byte>(2500),
                                       {},
                                       0}});
    }
    CHECK(c.next_own().payload.size() == 2);
    c.full_round(1);
    CHECK(c.next_own().payload.size() == 2);
  }

  TEST_CASE(
      "the batches of an own header that died are proposed again, first, if the worker says that "
      "they are not committed") {
    started b;
    const auto own = b.sign(b.available(0, 1));
    REQUIRE(own);  // and it is never certified
    b.available(0, 2);
    for (std::uint64_t round = 1; round <= 3; ++round)
      for (unsigned a : {1, 2, 3}) b.certify(header_at(at(a, round), {1, 2, 3}));
    const auto died = b.commit(52, 2);
    CHECK(died.ask == std::vector{primary::asked_batch{worker_id{0}, b.batch_id(1)}});
    b.available(0, 1, 10s);
    const auto x = b.propose(1s);
    REQUIRE(x);
    CHECK(b.batches_of(*x) == std::vector{b.batch_id(1), b.batch_id(2)});
    CHECK(x->queue_delay == 0ms);  // its wait was told before
  }

  // After a restart the worker may tell of a batch that the log has output. Where nobody stores it
  // any more no header with it is certified: it must not take the others with it for ever.
  TEST_CASE("a batch that died and of which the worker speaks no more is proposed no more") {
    started b;
    b.local.header_payload_target = 10;
    b.boot();
    b.start();
    b.available(0, 1);
    b.available(0, 2);
    b.available(0, 3);
    const auto own = b.propose(1s);
    REQUIRE(own);
    REQUIRE(own->payload.size() == 3);
    for (std::uint64_t round = 1; round <= 3; ++round)
      for (unsigned a : {1, 2, 3}) b.certify(header_at(at(a, round), {1, 2, 3}));
    const auto x = b.commit(52, 2);
    REQUIRE(x.ask.size() == 3);
    // The worker answers in the order of the questions, and passes over what is committed.
    for (const auto& asked : x.ask)
      if (asked.id != b.batch_id(2)) b.available(0, asked.id.bytes[0]);
    const auto next = b.propose(1s);
    REQUIRE(next);
    CHECK(b.batches_of(*next) == std::vector{b.batch_id(1), b.batch_id(3)});
    CHECK(b.commit(53, 3).ask.empty());
  }

  TEST_CASE("a batch that the committer calls dead is proposed again, once") {
    started b;
    const auto own = b.sign(b.available(0, 1));
    REQUIRE(own);
    b.full_round(1);
    const auto x = b.commit(1, 0, {}, {b.batch_id(1), b.batch_id(99)});
    CHECK(x.ask == std::vector{primary::asked_batch{worker_id{0}, b.batch_id(1)}});
    const auto again = b.sign(b.available(0, 1));
    REQUIRE(again);
    CHECK(b.batches_of(*again) == std::vector{b.batch_id(1)});
  }

  TEST_CASE("an output batch is not proposed again, whatever else is said of it") {
    started b;
    const auto own = b.sign(b.available(0, 1));
    REQUIRE(own);
    b.full_rounds(3);
    const auto x = b.commit(52, 2, {own->id}, {b.batch_id(1)});
    CHECK(x.output == std::vector{r(1)});
    const auto next = b.propose(1s);
    REQUIRE(next);
    CHECK(next->payload.empty());
  }

  TEST_CASE("control records are repeated in every header until one is output") {
    started b;
    const control_record record = capacity_declaration{1, 1000}, other = halt{};
    b.step(primary::record_offered{record});
    CHECK(b.step(primary::record_offered{record}).dropped_records == 1);
    const auto first = b.next_own();
    CHECK(first.control == std::vector{record});
    b.step(primary::record_offered{other});
    b.full_round(1);
    const auto second = b.next_own();
    CHECK(second.control == std::vector{record, other});
    b.full_round(2);
    b.commit(2, 0, {first.id});
    CHECK(b.next_own().control == std::vector{other});
  }

  TEST_CASE("control records beyond the bound are dropped and counted") {
    started b;
    b.protocol.max_control_records = 2;
    b.boot();
    b.start();
    for (std::uint64_t i = 1; i <= 3; ++i)
      CHECK(b.step(primary::record_offered{capacity_declaration{i, 1}}).dropped_records == (i > 2));
    CHECK(b.next_own().control.size() == 2);
  }

  TEST_CASE("while nothing commits headers go on, without payload and slowly, and recover") {
    started b;
    b.protocol.gc_depth = 2;
    b.boot();
    b.start();
    for (std::uint64_t round = 1; round <= 4; ++round) {
      b.now += 1s;
      b.sign(b.available(0, static_cast<unsigned>(round)));
      CHECK(b.proposed.back().payload.size() == 1);
      b.full_round(round);
    }
    // Beyond 2 x 2 rounds above the anchor, which is genesis.
    b.available(0, 99);
    const auto last = b.now;
    CHECK(b.core->next_deadline() == last + b.local.paced_header_delay);
    CHECK(!b.propose(b.local.paced_header_delay - 1ns));
    const auto paced = b.propose(1ns);
    REQUIRE(paced);
    CHECK(paced->round == r(5));
    CHECK(paced->payload.empty());
    b.full_round(5);
    const auto free = b.sign(b.commit(3, 1, {id_of(at(0, 1))}));
    REQUIRE(free);
    CHECK(free->payload.size() == 1);
  }

  TEST_CASE(
      "a restarted primary never proposes for a round again, and its stored headers leave again") {
    started b;
    const auto own = b.with_bytes(b.full(at(0, 3)));
    b.boot({{}, {}, {{own, false}}});
    const auto x = b.step(primary::started{});
    REQUIRE(x.hand_over.size() == 1);
    REQUIRE(x.own_votes.size() == 1);
    CHECK(x.own_votes[0].hdr.id == own.hdr.id);
    b.full_rounds(2);
    CHECK(!b.propose(10s));
    b.full_round(3, {1, 2, 3});
    const auto next = b.propose(10s);
    REQUIRE(next);
    CHECK(next->round == r(4));
  }

  TEST_CASE("a restarted primary carries on what its stored headers carried") {
    started b;
    auto alive = b.full(at(0, 3)), done = b.full(at(0, 2));
    alive.payload = {b.entry(1)};
    alive.control = {capacity_declaration{1, 1}};
    done.payload = {b.entry(2)};
    done.control = {capacity_declaration{2, 2}};
    b.boot({{}, {}, {{b.with_bytes(done), true}, {b.with_bytes(alive), false}}});
    b.start();
    // The worker says all again. What a stored header carries is not proposed twice.
    b.available(0, 1);
    b.full_rounds(3);
    const auto next = b.propose(1s);
    REQUIRE(next);
    CHECK(next->payload.empty());
    CHECK(next->control == alive.control);
    // Until that header has died.
    b.full_round(4);
    CHECK(b.commit(53, 3).ask.size() == 1);
    const auto again = b.sign(b.available(0, 1));
    REQUIRE(again);
    CHECK(b.batches_of(*again) == std::vector{b.batch_id(1)});
  }

  TEST_CASE("a link that comes up gets the own headers that are not certified") {
    started b;
    const auto own = b.propose(1s);
    REQUIRE(own);
    const auto x = b.step(primary::link_restored{v(2)});
    REQUIRE(x.headers.size() == 1);
    CHECK(x.headers[0].peer == v(2));
    b.certify(*own);
    CHECK(b.step(primary::link_restored{v(2)}).headers.empty());
  }

  TEST_CASE("an own header is stored, sent to all, handed to the aggregator and voted for") {
    started b;
    b.now += 1s;
    const auto asked = b.step(primary::ticked{});
    REQUIRE(asked.propose);
    CHECK(asked.broadcast.empty());
    auto own = *asked.propose;
    own.id = id_of(own.position());
    const auto x = b.step(primary::header_signed{b.with_bytes(own)});
    REQUIRE(x.store_own.size() == 1);
    CHECK(x.store_own[0].hdr.id == own.id);
    CHECK(x.broadcast.size() == 1);
    CHECK(x.hand_over.size() == 1);
    REQUIRE(x.own_votes.size() == 1);
    CHECK(x.own_votes[0].hdr.id == own.id);
  }

  TEST_CASE("every commit stores how far the log was") {
    started b;
    const auto x = b.commit(57, 7);
    REQUIRE(x.store_progress);
    CHECK(x.store_progress->floor == r(7));
    CHECK(x.store_progress->anchor == r(57));
  }

  TEST_CASE("after a lost store nothing is proposed up to the bar, and the next header is") {
    primary_bench b;
    b.boot({{}, {}, {}, {}, round_number{3}});
    b.step(primary::started{});
    for (std::uint64_t round = 1; round <= 2; ++round) {
      b.full_round(round, {1, 2, 3});
      b.now += 10s;
      CHECK(!b.step(primary::ticked{}).propose);
    }
    b.full_round(3, {1, 2, 3});
    b.now += 10s;
    const auto x = b.step(primary::ticked{});
    REQUIRE(x.propose);
    CHECK(x.propose->round == round_number{4});
  }
}
