// Votes in, certificates out: how an aggregator certifies own headers and pairs others'.
#include <doctest/doctest.h>

#include "tests/unit/certificate_aggregator_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

using dag::screening;

vote vote_of(unsigned voter, const header& x) {
  return {x.id, x.author, x.round, v(voter), {}};
}
std::vector<validator_id> peers_of(const std::vector<aggregator::header_to>& sent) {
  std::vector<validator_id> all;
  for (const auto& x : sent) all.push_back(x.peer);
  return all;
}

}  // namespace

TEST_SUITE("certificate aggregator votes") {
  TEST_CASE(
      "the vote that completes a quorum makes exactly one certificate, for every committee size") {
    for (const auto& [n, quorum] : {std::pair{4u, 3u}, {5u, 4u}, {6u, 5u}, {7u, 5u}}) {
      CAPTURE(n);
      aggregator_bench b(n);
      const auto own = b.full(at(0, 1));
      b.know(own);
      for (unsigned voter = 0; voter + 1 < quorum; ++voter) {
        const auto x = b.vote_by(voter, own);
        CHECK(x.announce.empty());
        CHECK(x.complete.empty());
      }
      const auto x = b.vote_by(quorum - 1, own);
      REQUIRE(x.announce.size() == 1);
      CHECK(x.announce[0].header == own.id);
      CHECK(x.announce[0].votes.size() == quorum);
      REQUIRE(x.complete.size() == 1);
      CHECK(x.complete[0].hdr.id == own.id);
      CHECK(x.complete[0].bytes.body.size() > 0);
      if (quorum < n) CHECK(b.vote_by(quorum, own).announce.empty());
    }
  }

  TEST_CASE("a certificate's votes ascend in whatever order they came") {
    aggregator_bench b;
    const auto own = b.full(at(0, 1));
    b.know(own);
    b.vote_by(3, own);
    b.vote_by(0, own);
    const auto x = b.vote_by(2, own);
    REQUIRE(x.announce.size() == 1);
    std::vector<validator_id> voters;
    for (const auto& [voter, sig] : x.announce[0].votes) voters.push_back(voter);
    CHECK(voters == std::vector{v(0), v(2), v(3)});
  }

  TEST_CASE("which votes are worth a signature check") {
    aggregator_bench b;
    const auto own = b.full(at(0, 1)), other = b.full(at(0, 1), {}, 1);
    CHECK(b.core->screen(vote_of(1, own)) == screening::refuse(reject::vote_for_unknown));
    b.know(own);
    CHECK(b.core->screen(vote_of(1, own)) == screening::check());
    CHECK(b.core->screen(vote_of(4, own)) == screening::refuse(reject::unknown_validator));
    CHECK(b.core->screen(vote_of(1, other)) == screening::refuse(reject::vote_for_unknown));
    CHECK(b.core->screen(vote_of(1, b.full(at(2, 1)))) == screening::refuse(reject::wrong_author));
    b.vote_by(1, own);
    CHECK(b.core->screen(vote_of(1, own)) == screening::refuse(reject::duplicate_vote));
    CHECK(b.vote_by(1, own).rejected == std::vector{reject::duplicate_vote});
    b.vote_by(2, own);
    b.vote_by(3, own);
    CHECK(b.core->screen(vote_of(0, own)) == screening::ignore());  // it is certified
    CHECK(b.core->screen(vote_of(0, other)) == screening::refuse(reject::vote_for_unknown));
    b.step(aggregator::floor_raised{r(1)});
    CHECK(b.core->screen(vote_of(0, own)) == screening::ignore());
  }

  TEST_CASE(
      "votes are collected for all own headers above the floor, and an old one may come late") {
    aggregator_bench b;
    const auto first = b.full(at(0, 1));
    b.know(first);
    b.vote_by(0, first);
    for (unsigned a : {1, 2, 3}) b.learn(b.full(at(a, 1)));
    for (unsigned a : {1, 2, 3}) b.learn(header_at(at(a, 2), {1, 2, 3}));
    const auto third = header_at(at(0, 3), {1, 2, 3});
    b.know(third);
    for (unsigned voter : {0, 1, 2}) b.vote_by(voter, third);
    b.vote_by(2, first);
    const auto x = b.vote_by(3, first);
    REQUIRE(x.announce.size() == 1);
    CHECK(x.announce[0].header == first.id);
    CHECK(b.given.back() == at(0, 1));
  }

  TEST_CASE(
      "an own header leaves again for those who have not voted, ever more slowly, until "
      "certified") {
    aggregator_bench b;
    const auto own = b.full(at(0, 1));
    b.know(own);
    b.vote_by(0, own);
    b.vote_by(2, own);
    const auto first = b.local.header_resend;
    CHECK(b.core->next_deadline() == b.now + first);
    CHECK(b.wait(first - 1ns).headers.empty());
    CHECK(peers_of(b.wait(1ns).headers) == std::vector{v(1), v(3)});
    CHECK(b.wait(first).headers.empty());
    CHECK(peers_of(b.wait(first).headers) == std::vector{v(1), v(3)});
    CHECK(b.core->next_deadline() == b.now + 4 * first);
    for (int i = 0; i < 20; ++i) b.wait(1h);
    CHECK(*b.core->next_deadline() - b.now <= 16 * first);
    b.vote_by(3, own);
    CHECK(b.wait(1h).headers.empty());
  }

  TEST_CASE("an own header below the floor leaves no more") {
    aggregator_bench b;
    b.know(b.full(at(0, 1)));
    b.step(aggregator::floor_raised{r(1)});
    CHECK(b.wait(1h).headers.empty());
    CHECK(!b.core->next_deadline());
  }

  TEST_CASE("header and certificate are paired in whatever order they come") {
    aggregator_bench b;
    b.know(b.full(at(1, 1)));
    CHECK(b.certificate_for(b.full(at(1, 1))).complete.size() == 1);
    CHECK(b.certificate_for(b.full(at(2, 1))).complete.empty());
    CHECK(b.core->waits_for(b.full(at(2, 1))));
    CHECK(!b.core->waits_for(b.full(at(2, 1), {}, 1)));
    CHECK(b.know(b.full(at(2, 1), {}, 1)).complete.empty());
    CHECK(b.know(b.full(at(2, 1))).complete.size() == 1);
    CHECK(b.given == std::vector{at(1, 1), at(2, 1)});
  }

  TEST_CASE("a certificate for an equivocation's other header is paired with that one") {
    aggregator_bench b;
    b.know(b.full(at(1, 1)));
    const auto other = b.full(at(1, 1), {}, 1);
    CHECK(b.certificate_for(other).complete.empty());
    const auto asked = b.wait(b.local.fetch_delay).requests;
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].what.headers == std::vector{other.id});
    const auto x = b.answer(asked[0].peer.value, other);
    REQUIRE(x.complete.size() == 1);
    CHECK(x.complete[0].hdr.id == other.id);
  }

  TEST_CASE("which certificates are worth signature checks") {
    aggregator_bench b;
    const auto x = b.full(at(1, 1));
    CHECK(b.core->screen(b.certificate_of(x)) == screening::check());
    auto few = b.certificate_of(x);
    few.votes.pop_back();
    CHECK(b.core->screen(few) == screening::refuse(reject::too_few_votes));
    auto stranger = b.certificate_of(x);
    stranger.author = v(4);
    CHECK(b.core->screen(stranger) == screening::refuse(reject::unknown_validator));
    auto genesis = b.certificate_of(x);
    genesis.round = r(0);
    CHECK(b.core->screen(genesis) == screening::ignore());
    b.certificate_for(x);
    CHECK(b.core->screen(b.certificate_of(x)) == screening::ignore());  // it waits for its header
    b.know(x);
    CHECK(b.core->screen(b.certificate_of(x)) == screening::ignore());  // it is complete
    // Another quorum for a known header is as good, and of no use.
    auto others = b.certificate_of(x);
    others.votes[0].first = v(0);
    CHECK(b.core->screen(others) == screening::ignore());
  }

  TEST_CASE("certificates that wait are bounded") {
    aggregator_bench b;
    b.local.max_pending_certificates = 2;
    b.boot();
    b.certificate_for(b.full(at(1, 1)));
    b.certificate_for(b.full(at(2, 1)));
    CHECK(b.core->screen(b.certificate_of(b.full(at(3, 1)))) ==
          screening::refuse(reject::too_many_pending));
    CHECK(b.core->waiting() == 2);
    b.know(b.full(at(1, 1)));
    CHECK(b.core->screen(b.certificate_of(b.full(at(3, 1)))) == screening::check());
  }

  TEST_CASE("a header that is complete at once is taken however many wait: they may wait for it") {
    aggregator_bench b;
    b.local.max_pending_certificates = 2;
    b.boot();
    b.learn(b.full(at(1, 2)));
    b.learn(b.full(at(1, 3)));
    REQUIRE(b.core->waiting() == 2);
    CHECK(b.core->screen(v(1), b.certified(b.full(at(0, 1)))) == screening::check());
  }

  TEST_CASE("what is older takes the place of the newest, which may wait for it and comes again") {
    aggregator_bench b;
    b.local.max_pending_certificates = 2;
    b.boot();
    b.learn(b.full(at(1, 4)));
    b.certificate_for(b.full(at(1, 5)));
    REQUIRE(b.core->waiting() == 2);
    // Validator 2's chain goes back to round 1: with each header only the one before it is known.
    std::size_t refused = 0;
    for (const unsigned round : {3u, 2u, 1u}) {
      const auto x = b.full(at(2, round));
      REQUIRE(b.core->screen(b.certificate_of(x)) == screening::check());
      const auto fx = b.learn(x);
      refused += static_cast<std::size_t>(
          std::count(fx.rejected.begin(), fx.rejected.end(), reject::too_many_pending));
      CHECK(b.core->waiting() <= 2);
    }
    CHECK(refused > 0);
    b.full_rounds(2);
    b.learn(b.full(at(1, 4)));  // again
    for (const unsigned author : {0u, 1u, 3u}) {
      CHECK(b.core->waiting() == 1);
      b.learn(b.full(at(author, 3)));
    }
    CHECK(b.given.size() == 13);
    CHECK(b.given.back() == at(1, 4));
    CHECK(b.core->waiting() == 0);
  }

  TEST_CASE("headers without a certificate are bounded for each author") {
    aggregator_bench b;
    b.local.max_headers_of_author = 2;
    b.boot();
    for (std::uint64_t round : {1, 2, 3}) b.know(b.full(at(1, round)));
    b.know(b.full(at(2, 1)));
    CHECK(b.certificate_for(b.full(at(1, 1))).complete.empty());  // it made place
    CHECK(b.certificate_for(b.full(at(2, 1))).complete.size() == 1);
    b.know(b.full(at(1, 1)));
    for (unsigned a : {0, 3}) b.learn(b.full(at(a, 1)));
    CHECK(b.certificate_for(b.full(at(1, 2))).complete.size() == 1);
  }

  TEST_CASE(
      "far-future headers are not kept, and a far-future certificate only tells that its round "
      "exists") {
    aggregator_bench b;
    const auto far = b.full(at(1, 200));
    b.know(far);
    b.certificate_for(far);
    CHECK(b.core->waiting() == 0);
    CHECK(b.core->highest_seen() == r(200));
    CHECK(b.core->screen(b.certificate_of(b.full(at(2, 200)))) == screening::ignore());
    CHECK(b.core->screen(b.certificate_of(b.full(at(2, 201)))) == screening::check());
  }

  TEST_CASE("a link that comes up gets the own certificates above the floor") {
    aggregator_bench b;
    b.full_rounds(3);
    b.step(aggregator::floor_raised{r(1)});
    const auto x = b.step(aggregator::link_restored{v(2)});
    REQUIRE(x.certificates.size() == 2);
    CHECK(x.certificates[0].peer == v(2));
    CHECK(x.certificates[0].what.header == id_of(at(0, 2)));
    CHECK(x.certificates[1].what.header == id_of(at(0, 3)));
    CHECK(b.step(aggregator::link_restored{v(0)}).certificates.empty());
    CHECK(b.step(aggregator::link_restored{v(9)}).certificates.empty());
  }

  TEST_CASE(
      "while no round becomes full the newest own certificate leaves again, ever more slowly") {
    aggregator_bench b;
    b.full_rounds(2);
    const auto first = b.local.header_resend;
    CHECK(b.wait(first - 1ns).certificates.empty());
    auto x = b.wait(1ns);
    REQUIRE(x.certificates.size() == 3);
    CHECK(x.certificates[0].what.round == r(2));
    CHECK(b.wait(first).certificates.empty());
    CHECK(b.wait(first).certificates.size() == 3);
    b.full_round(3);
    CHECK(b.wait(first).certificates.size() == 3);
  }

  TEST_CASE("after a restart what is stored is given out again, and counts as known") {
    aggregator_bench b;
    aggregator::restored stored;
    stored.floor = r(1);
    stored.history = {{at(1, 1), id_of(at(1, 1))}};
    for (std::uint64_t round : {2, 3})
      for (unsigned a = 0; a < 4; ++a) stored.complete.push_back(b.full(at(a, round)));
    stored.own_certificates = {b.certificate_of(b.full(at(0, 2))),
                               b.certificate_of(b.full(at(0, 3)))};
    b.boot(stored);
    CHECK(b.step(aggregator::started{}).give_stored == r(1));
    CHECK(b.core->round() == r(3));
    CHECK(b.learn(b.full(at(2, 3))).complete.empty());
    CHECK(b.learn(b.full(at(1, 4))).complete.size() == 1);
    CHECK(b.core->screen(vote_of(1, b.full(at(0, 3)))) == screening::ignore());
    const auto served =
        b.step(aggregator::headers_requested{v(1), {{id_of(at(1, 1)), id_of(at(2, 3))}}});
    REQUIRE(served.serve.size() == 2);
    CHECK(served.serve[0].what == at(1, 1));
    CHECK(served.serve[1].what == at(2, 3));
  }
}
