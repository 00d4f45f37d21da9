// What a validator signs at a checkpoint, which one it can prove, and when it must stop.
#include "actors/checkpointer/checkpointer.hpp"

#include <doctest/doctest.h>

#include "crypto/checkpoint_checks.hpp"
#include "crypto/fake_signing.hpp"

using namespace flamingo;
using namespace flamingo::checkpointer;

namespace {

constexpr parameters usual{4, 2, 10, 1000};

digest named(unsigned x) {
  digest d;
  d.bytes[0] = static_cast<byte>(x);
  d.bytes[31] = 7;
  return d;
}

struct bench {
  core logic{usual, {}};
  time_point now{std::chrono::hours{1}};

  effects step(const input& in) { return logic.step(now, in); }
  effects ledger(std::uint64_t index) {
    return step(ledger_written{commit_index{index}, named(50), 100});
  }
  effects root(std::uint64_t index, unsigned name = 60) {
    return step(root_known{commit_index{index}, named(name)});
  }
  /// What the shell does with effects::sign.
  effects sign(const effects& x) {
    REQUIRE(x.sign);
    return step(summary_signed{*x.sign, record_of(*x.sign)});
  }
  static checkpoint record_of(const checkpoint_summary& x) {
    return {x.index, crypto::checkpoint_digest(x), {}};
  }
  effects said(unsigned author, checkpoint record, std::uint64_t in = 1000) {
    return step(record_committed{commit_index{in}, validator_id{static_cast<std::uint16_t>(author)},
                                 verified<checkpoint>::after_check(std::move(record))});
  }
  checkpoint own(std::uint64_t index) {
    return record_of({commit_index{index}, named(60), named(50), 100});
  }
  static checkpoint other(std::uint64_t index, unsigned name = 99) {
    return {commit_index{index}, named(name), {}};
  }
};

}  // namespace

TEST_SUITE("checkpointer") {
  TEST_CASE("a checkpoint is signed once its ledger and its root are known, in either order") {
    bench x;
    CHECK(!x.ledger(10).sign);
    const auto known = x.root(10);
    REQUIRE(known.sign);
    CHECK(*known.sign == checkpoint_summary{commit_index{10}, named(60), named(50), 100});
    const auto offered = x.sign(known).offer;
    REQUIRE(offered);
    CHECK(*offered == x.own(10));
    CHECK(!x.root(10).sign);

    CHECK(!x.root(20).sign);
    CHECK(x.ledger(20).sign.has_value());
  }

  TEST_CASE("f+1 equal records, whoever's they are, prove a checkpoint that was made here, too") {
    bench x;
    x.sign((x.ledger(10), x.root(10)));
    CHECK(!x.said(1, x.own(10)).proven);
    CHECK(!x.said(1, x.own(10)).proven);  // the same again
    const auto done = x.said(2, x.own(10));
    REQUIRE(done.proven);
    CHECK(done.proven->what.index == commit_index{10});
    REQUIRE(done.proven->signatures.size() == 2);
    CHECK(done.proven->signatures[0].first == validator_id{1});
    CHECK(done.proven->signatures[1].first == validator_id{2});
    CHECK(x.logic.proven() == done.proven);
    CHECK(x.logic.open() == 0);
  }

  TEST_CASE("records that come before the own state is there are counted when it is") {
    bench x;
    x.said(1, x.own(10));
    x.said(2, x.own(10));
    CHECK(!x.logic.proven());
    CHECK(x.sign((x.ledger(10), x.root(10))).proven.has_value());
  }

  TEST_CASE("a second record of an author changes nothing") {
    bench x;
    x.sign((x.ledger(10), x.root(10)));
    x.said(1, bench::other(10));
    CHECK(!x.said(1, x.own(10)).proven);
    CHECK(!x.said(2, x.own(10)).proven);
    CHECK(x.said(3, x.own(10)).proven.has_value());
  }

  TEST_CASE("f+1 equal records that are not what was made here name the checkpoint that differs") {
    bench x;
    x.sign((x.ledger(10), x.root(10)));
    CHECK(!x.said(1, bench::other(10)).diverged);  // f may be lying
    CHECK(!x.said(2, bench::other(10, 98)).diverged);
    const auto caught = x.said(3, bench::other(10)).diverged;
    REQUIRE(caught);
    CHECK(*caught == divergence{commit_index{10}, x.own(10).state, named(99)});
    x.sign((x.ledger(20), x.root(20)));
    x.said(1, bench::other(20));
    CHECK(!x.said(2, bench::other(20)).diverged);  // said once
    CHECK(x.logic.diverged() == caught);
  }

  TEST_CASE("a validator that diverged says so again after a restart") {
    const divergence before{commit_index{10}, named(1), named(2)};
    core logic(usual, {std::nullopt, before});
    const auto said = logic.step({}, started{}).diverged;
    REQUIRE(said);
    CHECK(*said == before);
    CHECK(!core(usual, {}).step({}, started{}).diverged);
  }

  TEST_CASE("a record of no checkpoint, or of one that is still to come, is refused") {
    bench x;
    CHECK(x.said(1, bench::other(11)).rejected == std::vector<reject>{reject::bad_control_record});
    CHECK(x.said(1, bench::other(20), 20).rejected ==
          std::vector<reject>{reject::bad_control_record});
    CHECK(x.said(1, bench::other(20), 21).rejected.empty());
  }

  TEST_CASE("only the newest checkpoints stay open, and old ones cannot take their place") {
    bench x;
    for (std::uint64_t index = 10; index <= 200; index += 10) x.said(1, bench::other(index));
    CHECK(x.logic.open() == 8);
    x.said(2, bench::other(10));
    CHECK(x.logic.open() == 8);
    x.sign((x.ledger(200), x.root(200)));
    x.said(2, x.own(200));
    CHECK(x.said(3, x.own(200)).proven.has_value());
    CHECK(x.logic.open() == 0);
    x.said(2, bench::other(150));
    CHECK(x.logic.open() == 0);
  }

  TEST_CASE("a peer gets parts at a bounded rate, and the others are not the slower for it") {
    bench x;
    const auto ask = [&](unsigned peer) {
      return x.step(part_asked{validator_id{static_cast<std::uint16_t>(peer)}, 600}).serve;
    };
    CHECK(ask(1));
    CHECK(ask(1));
    CHECK(!ask(1));
    CHECK(ask(2));
    x.now += std::chrono::seconds(2);
    CHECK(ask(1));
    CHECK(x.step(part_asked{validator_id{9}, 1}).rejected ==
          std::vector<reject>{reject::unknown_validator});
  }
}

TEST_SUITE("checkpoint_checks") {
  committee four() {
    committee x;
    for (const char* name : {"v0", "v1", "v2", "v3"}) {
      x.validators.emplace_back();
      x.validators.back().key = crypto::fake_signer(name).key();
    }
    return x;
  }

  TEST_CASE("a proof needs f+1 right signatures of distinct members over its summary") {
    const committee members = four();
    const crypto::fake_scheme scheme;
    const checkpoint_summary what{commit_index{10}, named(1), named(2), 3};
    const auto sign = [&](const char* name) {
      return crypto::fake_signer(name).sign(crypto::checkpoint_statement(
          crypto::context_of(members), crypto::checkpoint_digest(what)));
    };
    const checkpoint_proof good{what,
                                {{validator_id{1}, sign("v1")}, {validator_id{3}, sign("v3")}}};
    CHECK(crypto::check_proof(scheme, members, good));
    auto bad = good;
    bad.signatures.pop_back();
    CHECK(!crypto::check_proof(scheme, members, bad));
    bad = good;
    bad.signatures[1] = bad.signatures[0];
    CHECK(!crypto::check_proof(scheme, members, bad));
    bad = good;
    bad.signatures[1].first = validator_id{2};
    CHECK(!crypto::check_proof(scheme, members, bad));
    bad = good;
    bad.signatures[1].first = validator_id{9};
    CHECK(!crypto::check_proof(scheme, members, bad));
    for (auto* changed : {&bad.what.state_root, &bad.what.ledger}) {
      bad = good;
      changed->bytes[5] ^= 1;
      CHECK(!crypto::check_proof(scheme, members, bad));
    }
    bad = good;
    ++bad.what.ledger_bytes;
    CHECK(!crypto::check_proof(scheme, members, bad));
    bad = good;
    ++bad.what.index;
    CHECK(!crypto::check_proof(scheme, members, bad));
  }
}
