#include <doctest/doctest.h>

#include "crypto/fake_signing.hpp"
#include "messages/codec_dag.hpp"
#include "tests/sim/byzantine/equivocator.hpp"
#include "tests/sim/byzantine/silent.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using namespace flamingo::sim::byzantine;

constexpr link::peer peer_of(std::uint16_t v) {
  return {link::peer::kind::validator, v};
}

struct liar {
  static constexpr validator_id self{1};

  std::shared_ptr<committee> members = std::make_shared<committee>();
  std::shared_ptr<crypto::signer> key = std::make_shared<crypto::fake_signer>("v1");
  dag_limits limits{4, 1 << 20, 256, 64};
  std::vector<std::pair<validator_id, peer_frame>> sent;
  std::optional<equivocator> behaviour;

  liar() {
    members->validators.resize(4);
    behaviour.emplace(insider{self, members, {}, key, random_source(1)},
                      std::set{validator_id{2}, validator_id{3}});
    behaviour->send = [this](validator_id to, const peer_frame& x) { sent.emplace_back(to, x); };
  }

  crypto::signing_context context() const { return {members->chain, members->epoch}; }

  peer_frame own_header(std::uint64_t round) const {
    header h;
    h.author = self;
    h.round = round_number{round};
    h.parents.resize(3);
    const auto body = encode_header(h);
    return encode_peer(
        signed_bytes{body, key->sign(crypto::header_statement(context(), header_id(body)))});
  }
  signed_header header_of(const peer_frame& x) const {
    return std::get<signed_header>(*decode(x, limits));
  }
  void vote_from(std::uint16_t voter, const signed_header& x) {
    behaviour->hears(
        peer_of(voter),
        encode_peer(vote{x.hdr.id, x.hdr.author, x.hdr.round, validator_id{voter}, {}}));
  }
};

TEST_CASE("an equivocator shows each half of the others another header of the same round") {
  liar x;
  const auto first = x.own_header(5);
  const auto to_0 = x.behaviour->says(peer_of(0), first);
  const auto to_2 = x.behaviour->says(peer_of(2), first);
  REQUIRE(to_0.size() == 1);
  REQUIRE(to_2.size() == 1);
  const auto a = x.header_of(to_0[0]), b = x.header_of(to_2[0]);
  CHECK(a.hdr.id == x.header_of(first).hdr.id);
  CHECK(a.hdr.id != b.hdr.id);
  CHECK(a.hdr.position() == b.hdr.position());
  CHECK(crypto::fake_scheme().verify(x.key->key(), crypto::header_statement(x.context(), b.hdr.id),
                                     b.bytes.sig));
  // It sticks to its story.
  CHECK(x.header_of(x.behaviour->says(peer_of(3), first)[0]).hdr.id == b.hdr.id);
  CHECK(x.behaviour->twins() == 1);
}

TEST_CASE("an equivocator certifies its second header with the votes of those it deceived") {
  liar x;
  const auto second = x.header_of(x.behaviour->says(peer_of(2), x.own_header(5))[0]);
  x.vote_from(2, second);
  REQUIRE(x.sent.size() == 2);  // f+1 votes, its own included: too few
  const auto forged = std::get<certificate>(*decode(x.sent[0].second, x.limits));
  CHECK(forged.header == second.hdr.id);
  CHECK(forged.votes.size() == 2);
  x.vote_from(2, second);  // again
  CHECK(x.sent.size() == 2);
  x.vote_from(3, second);
  REQUIRE(x.sent.size() == 4);
  CHECK(std::get<certificate>(*decode(x.sent[3].second, x.limits)).votes.size() == 3);
}

TEST_CASE("an equivocator leaves what others wrote as it is") {
  liar x;
  const vote v{{}, validator_id{0}, round_number{3}, liar::self, {}};
  const auto frame = encode_peer(v);
  const auto out = x.behaviour->says(peer_of(2), frame);
  REQUIRE(out.size() == 1);
  CHECK(out[0].bytes().data() == frame.bytes().data());
  x.behaviour->hears(peer_of(2), frame);
  CHECK(x.sent.empty());
}

TEST_CASE("a silent validator says nothing to validators and to clients what it is told to") {
  silent half(false), whole(true);
  const client_frame receipt;
  CHECK(half.says(peer_of(0), peer_frame()).empty());
  CHECK(half.says(peer_of(0), worker_frame()).empty());
  CHECK(half.says({link::peer::kind::client, 0}, receipt).size() == 1);
  CHECK(whole.says({link::peer::kind::client, 0}, receipt).empty());
}

}  // namespace
