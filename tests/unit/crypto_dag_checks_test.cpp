// Which headers, votes and certificates pass the check of their signatures.
#include "crypto/dag_checks.hpp"

#include <doctest/doctest.h>

#include "tests/unit/dag_headers.hpp"

using namespace flamingo;
using namespace flamingo::crypto;
using namespace flamingo::testing;

namespace {

struct network {
  std::vector<ed25519_signer> signers;
  committee members = committee_of(4);
  ed25519_scheme scheme;

  network() {
    for (unsigned i = 0; i < 4; ++i) {
      ed25519_signer::seed seed{};
      seed[0] = static_cast<byte>(i + 1);
      signers.emplace_back(seed);
      members.validators[i].key = signers[i].key();
    }
    members.epoch = epoch_id{3};
  }

  vote vote_by(unsigned voter, const header& h) const {
    const auto statement = vote_statement(context_of(members), h.id, h.author, h.round);
    return {h.id, h.author, h.round, v(voter), signers[voter].sign(statement)};
  }
  certificate certify(const header& h, std::initializer_list<unsigned> voters) const {
    certificate x{h.id, h.author, h.round, {}};
    for (unsigned voter : voters) x.votes.push_back({v(voter), vote_by(voter, h).sig});
    return x;
  }
};

const header example = header_at(at(2, 5), {0, 1, 2});

}  // namespace

TEST_SUITE("crypto dag checks") {
  TEST_CASE("a header passes with its author's signature alone") {
    const network net;
    signed_header x{example, {}};
    x.bytes.sig = net.signers[2].sign(header_statement(context_of(net.members), x.hdr.id));
    CHECK(check_header(net.scheme, net.members, x));
    x.bytes.sig = net.signers[1].sign(header_statement(context_of(net.members), x.hdr.id));
    CHECK(!check_header(net.scheme, net.members, x));
    x.hdr.author = v(4);
    CHECK(!check_header(net.scheme, net.members, x));
  }

  TEST_CASE("a signature of another epoch or chain is none") {
    network net;
    const auto voted = net.vote_by(1, example);
    CHECK(check_vote(net.scheme, net.members, voted));
    net.members.epoch = epoch_id{4};
    CHECK(!check_vote(net.scheme, net.members, voted));
    net.members.epoch = epoch_id{3};
    net.members.chain.bytes[5] = 1;
    CHECK(!check_vote(net.scheme, net.members, voted));
  }

  TEST_CASE("a vote is for one header, author and round, by one voter") {
    const network net;
    const auto good = net.vote_by(1, example);
    auto x = good;
    x.header.bytes[0] ^= 1;
    CHECK(!check_vote(net.scheme, net.members, x));
    x = good;
    x.author = v(3);
    CHECK(!check_vote(net.scheme, net.members, x));
    x = good;
    ++x.round;
    CHECK(!check_vote(net.scheme, net.members, x));
    x = good;
    x.voter = v(0);
    CHECK(!check_vote(net.scheme, net.members, x));
    x.voter = v(77);
    CHECK(!check_vote(net.scheme, net.members, x));
  }

  TEST_CASE("a certificate passes with as many right votes of distinct members as are needed") {
    const network net;
    const auto check = [&](certificate x) {
      return check_certificate(net.scheme, net.members, std::move(x), 3);
    };
    CHECK(check(net.certify(example, {0, 1, 3})));
    CHECK(!check(net.certify(example, {0, 1})));
    CHECK(!check(net.certify(example, {0, 1, 1})));
    CHECK(!check(net.certify(example, {})));
    auto forged = net.certify(example, {0, 1, 3});
    forged.votes[2].second.bytes[7] ^= 1;
    CHECK(!check(forged));
    auto stranger = net.certify(example, {0, 1, 3});
    stranger.votes[2].first = v(9);
    CHECK(!check(stranger));
    auto author = net.certify(example, {0, 1, 3});
    author.author = v(9);
    CHECK(!check(author));
  }

  TEST_CASE("votes beyond what is needed are cut off unlooked at") {
    const network net;
    auto x = net.certify(example, {0, 1, 2, 3});
    x.votes[3].second = {};
    const auto checked = check_certified(net.scheme, net.members, {example, {}, x}, 3);
    REQUIRE(checked);
    CHECK((*checked)->cert.votes.size() == 3);
  }
}
