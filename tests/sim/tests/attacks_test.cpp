// Each Byzantine behaviour breaks the rule that it is named after, and nothing else.
#include <doctest/doctest.h>

#include <algorithm>

#include "crypto/fake_signing.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_dag.hpp"
#include "tests/sim/byzantine/bad_links.hpp"
#include "tests/sim/byzantine/copier.hpp"
#include "tests/sim/byzantine/flooder.hpp"
#include "tests/sim/byzantine/forger.hpp"
#include "tests/sim/byzantine/kinds.hpp"
#include "tests/sim/byzantine/liar.hpp"
#include "tests/sim/byzantine/replayer.hpp"
#include "tests/sim/byzantine/selective.hpp"
#include "tests/sim/byzantine/two_vote_sets.hpp"
#include "tests/sim/byzantine/withholder.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using namespace flamingo::sim::byzantine;

constexpr validator_id self{1};

constexpr link::peer peer_of(std::uint16_t v) {
  return {link::peer::kind::validator, v};
}

crypto::fake_signer signer_of(validator_id v) {
  return crypto::fake_signer("v" + std::to_string(v.value));
}

insider somebody(std::uint64_t seed = 1) {
  auto members = std::make_shared<committee>();
  members->validators.resize(4);
  for (std::uint16_t v = 0; v < 4; ++v)
    members->validators[v].key = signer_of(validator_id{v}).key();
  return {self, members, {}, std::make_shared<crypto::fake_signer>("v1"), random_source(seed)};
}

/// A behaviour, and what it sent beside its shells.
template <class Behaviour>
struct bench {
  insider who = somebody();
  Behaviour behaviour;
  std::vector<std::pair<validator_id, peer_frame>> sent;
  std::vector<std::pair<validator_id, worker_frame>> sent_to_workers;

  template <class... Args>
  explicit bench(Args&&... args) : behaviour(somebody(), std::forward<Args>(args)...) {
    behaviour.send = [this](validator_id to, const peer_frame& x) { sent.emplace_back(to, x); };
    behaviour.send_to_workers = [this](validator_id to, const worker_frame& x) {
      sent_to_workers.emplace_back(to, x);
    };
  }

  header plain_header(validator_id author, std::uint64_t round) const {
    header h;
    h.author = author;
    h.round = round_number{round};
    h.parents = {digest{{1}}, digest{{2}}, digest{{3}}, digest{{4}}};
    h.payload.push_back(
        {digest{{9, static_cast<byte>(round)}}, worker_id{}, 5, {}, {byte{1}, byte{1}}});
    if (carries_coin_share(h.round)) h.coin_share.assign(64, byte{7});
    return h;
  }
  peer_frame frame_of(const header& h) const {
    const auto body = encode_header(h);
    const auto statement = crypto::header_statement(who.context(), header_id(body));
    return encode_peer(signed_bytes{body, signer_of(h.author).sign(statement)});
  }
  peer_frame own_header(std::uint64_t round) const { return frame_of(plain_header(self, round)); }
  signed_header read(const peer_frame& x) const {
    auto message = decode(x, who.limits());
    REQUIRE(message);
    return std::get<signed_header>(*message);
  }
  /// Of 100 own headers: before and after, where the result can be read at all.
  std::vector<std::pair<header, header>> changes() {
    std::vector<std::pair<header, header>> all;
    for (std::uint64_t round = 10; round < 110; ++round) {
      const auto out = behaviour.says(peer_of(0), own_header(round));
      REQUIRE(out.size() == 1);
      const auto message = decode(out.front(), who.limits());
      if (!message) continue;
      const auto& after = std::get<signed_header>(*message);
      CHECK(is_signed(after));
      all.emplace_back(read(own_header(round)).hdr, after.hdr);
    }
    return all;
  }
  peer_frame vote_of(std::uint16_t voter, const header& x) const {
    const auto statement = crypto::vote_statement(who.context(), x.id, x.author, x.round);
    return encode_peer(vote{x.id, x.author, x.round, validator_id{voter},
                            signer_of(validator_id{voter}).sign(statement)});
  }
  bool is_signed(const signed_header& x) const {
    return crypto::fake_scheme().verify(
        who.key->key(), crypto::header_statement(who.context(), x.hdr.id), x.bytes.sig);
  }
  std::size_t right_votes(const certificate& x) const {
    const auto statement = crypto::vote_statement(who.context(), x.header, x.author, x.round);
    return static_cast<std::size_t>(
        std::count_if(x.votes.begin(), x.votes.end(), [&](const auto& vote) {
          return crypto::fake_scheme().verify(signer_of(vote.first).key(), statement, vote.second);
        }));
  }
};

TEST_SUITE("attacks") {
  TEST_CASE("bad links are in most headers, signed, and everything else is as it was") {
    bench<bad_links> x;
    for (std::uint16_t author : {0, 2, 3})
      for (std::uint64_t round : {2, 3, 4})
        x.behaviour.hears(peer_of(author), x.frame_of(x.plain_header(validator_id{author}, round)));
    std::size_t parents = 0, weak_links = 0;
    for (const auto& [before, after] : x.changes()) {
      CHECK(after.position() == before.position());
      CHECK(after.payload == before.payload);
      parents += after.parents != before.parents;
      weak_links += after.weak_links != before.weak_links;
    }
    CHECK(parents > 5);
    CHECK(weak_links > 10);
    CHECK(x.behaviour.twins() >= parents);
  }

  TEST_CASE("a changed header is certified with the votes that come for it") {
    bench<bad_links> x;
    x.behaviour.hears(peer_of(0), x.frame_of(x.plain_header(validator_id{0}, 2)));
    std::uint64_t round = 10;
    while (x.behaviour.twins() == 0) x.behaviour.says(peer_of(0), x.own_header(round++));
    const auto second = x.read(x.behaviour.says(peer_of(0), x.own_header(round - 1)).front());
    x.behaviour.hears(peer_of(0), x.vote_of(0, second.hdr));
    CHECK(x.sent.empty());
    x.behaviour.hears(peer_of(2), x.vote_of(2, second.hdr));
    REQUIRE(x.sent.size() == 3);  // to each of the others
    const auto made = std::get<certificate>(*decode(x.sent.front().second, x.who.limits()));
    CHECK(made.header == second.hdr.id);
    CHECK(x.right_votes(made) == 3);
  }

  TEST_CASE("a liar's headers keep their links, and lie about all sorts of things") {
    bench<liar> x;
    std::size_t time = 0, payload = 0, again = 0, control = 0, epoch = 0, round_lies = 0, coin = 0;
    std::set<digest> listed;  // by headers before
    for (const auto& [before, after] : x.changes()) {
      CHECK(after.parents == before.parents);
      for (const auto& entry : before.payload) listed.erase(entry.batch);
      for (const auto& entry : after.payload) again += listed.contains(entry.batch);
      for (const auto& entry : before.payload) listed.insert(entry.batch);
      time += after.created_at != before.created_at || after.queue_delay.has_value();
      payload += after.payload != before.payload;
      control += !after.control.empty();
      epoch += after.epoch != before.epoch;
      round_lies += after.round > before.round;
      coin += after.coin_share != before.coin_share;
    }
    for (const auto lies : {time, payload, control, epoch, round_lies, coin}) CHECK(lies > 2);
    CHECK(again > 0);
  }

  TEST_CASE("a forger's certificates have votes enough, and f+1 right ones at most") {
    bench<forger> x(std::set{validator_id{0}, validator_id{2}});
    const auto second = x.read(x.behaviour.says(peer_of(2), x.own_header(5)).front());
    CHECK(x.read(x.behaviour.says(peer_of(3), x.own_header(5)).front()).hdr.id != second.hdr.id);
    x.behaviour.hears(peer_of(2), x.vote_of(2, second.hdr));
    std::size_t with_enough = 0;
    for (const auto& [to, frame] : x.sent) {
      const auto made = decode(frame, x.who.limits());
      if (!made) continue;  // repeated votes cannot even be written
      const auto& cert = std::get<certificate>(*made);
      CHECK(x.right_votes(cert) <= 2);
      with_enough += cert.votes.size() >= 3;
    }
    CHECK(with_enough >= 2);
    const auto votes =
        x.behaviour.says(peer_of(0), x.vote_of(1, x.plain_header(validator_id{0}, 5)));
    CHECK(votes.size() > 3);
  }

  TEST_CASE("two sets of votes for one header are two valid quorums that differ") {
    bench<two_vote_sets> x;
    const auto own = x.read(x.own_header(5)).hdr;
    certificate first{own.id, self, own.round, {}};
    for (std::uint16_t v : {0, 1, 2}) {
      const auto cast = std::get<vote>(*decode(x.vote_of(v, own), x.who.limits()));
      first.votes.emplace_back(cast.voter, cast.sig);
    }
    CHECK(x.behaviour.says(peer_of(0), encode_peer(first)).size() == 1);
    CHECK(x.behaviour.says(peer_of(3), encode_peer(first)).empty());
    x.behaviour.hears(peer_of(3), x.vote_of(3, own));
    REQUIRE(x.sent.size() == 1);
    CHECK(x.sent.front().first == validator_id{3});
    const auto second = std::get<certificate>(*decode(x.sent.front().second, x.who.limits()));
    CHECK(second.header == first.header);
    CHECK(second.votes != first.votes);
    CHECK(x.right_votes(second) == 3);
  }

  TEST_CASE("who withholds keeps votes, certificates and batches from one, or from all but one") {
    const auto batch = encode_batch(self, worker_id{}, batch_sequence{1}, {});
    bench<withholder> from_one(withholder::from::one);
    bench<withholder> hides(withholder::from::all_but_one);
    const auto own = from_one.read(from_one.own_header(5)).hdr;
    const auto cert = encode_peer(certificate{own.id, self, own.round, {}});
    for (std::uint16_t v : {0, 2, 3}) {
      const bool is_one = from_one.behaviour.the_one().value == v;
      CHECK(from_one.behaviour.says(peer_of(v), from_one.vote_of(1, own)).empty() == is_one);
      CHECK(from_one.behaviour.says(peer_of(v), cert).empty() == is_one);
      CHECK(from_one.behaviour.says(peer_of(v), batch).empty() == is_one);
      CHECK(from_one.behaviour.says(peer_of(v), from_one.own_header(5)).size() == 1);
      const bool is_friend = hides.behaviour.the_one().value == v;
      CHECK(hides.behaviour.says(peer_of(v), cert).empty() == !is_friend);
      CHECK(hides.behaviour.says(peer_of(v), batch).size() == 1);
    }
  }

  TEST_CASE("a selective validator tells each kind of message to some, and changes its mind") {
    bench<selective> x;
    std::map<std::uint16_t, std::size_t> told;
    for (std::uint64_t i = 0; i < 4000; ++i)
      for (std::uint16_t v : {0, 2, 3})
        told[v] += x.behaviour.says(peer_of(v), x.own_header(5)).size();
    for (const auto& [v, count] : told) {
      CHECK(count > 400);
      CHECK(count < 3600);
    }
  }

  TEST_CASE("a garbler sends other bytes beside, or in place of, what its shells say") {
    bench<garbler> x;
    const auto own = x.own_header(5);
    std::size_t other = 0, same = 0;
    for (int i = 0; i < 400; ++i)
      for (const auto& out : x.behaviour.says(peer_of(0), own)) {
        const byte_span a = out.bytes(), b = own.bytes();
        (std::equal(a.begin(), a.end(), b.begin(), b.end()) ? same : other) += 1;
      }
    CHECK(other > 50);
    CHECK(same > 250);
  }

  TEST_CASE(
      "a replayer certifies with votes that were cast on another chain and in another epoch") {
    std::vector<validator_id> signers;
    bench<replayer> x(std::set{validator_id{2}}, [&](validator_id v, byte_span statement) {
      signers.push_back(v);
      return signer_of(v).sign(statement);
    });
    const auto second = x.read(x.behaviour.says(peer_of(2), x.own_header(5)).front());
    x.behaviour.hears(peer_of(2), x.vote_of(2, second.hdr));
    REQUIRE(x.sent.size() >= 2);
    for (const auto& [to, frame] : x.sent) {
      const auto message = decode(frame, x.who.limits());
      const auto* made = message ? std::get_if<certificate>(&*message) : nullptr;
      if (!made) continue;  // something old
      CHECK(made->votes.size() == 3);
      CHECK(x.right_votes(*made) == 2);
    }
    CHECK(std::count(signers.begin(), signers.end(), self) == 0);
  }

  TEST_CASE("a flooder asks who speaks to it for what exists and for what does not") {
    bench<flooder> x;
    for (std::uint64_t round = 1; round < 400; ++round)
      x.behaviour.hears(peer_of(2), x.frame_of(x.plain_header(validator_id{2}, round)));
    CHECK(x.sent.size() + x.sent_to_workers.size() > 5);
    for (const auto& [to, frame] : x.sent) CHECK(to == validator_id{2});
  }

  TEST_CASE("a copier proposes others' bundles in batches of its own, once a quorum stores them") {
    auto members = std::make_shared<committee>(*somebody().members);
    const crypto::fake_signer client("c0");
    members->clients.push_back({"c0", client.key(), {}, {{account_id{0}, account_id{10}}}, {}});
    insider who = somebody();
    who.members = members;
    copier x(who);
    std::vector<worker_frame> sent;
    x.send_to_workers = [&](validator_id, const worker_frame& y) { sent.push_back(y); };
    x.send = [](validator_id, const peer_frame&) {};
    bundle_plan plan;
    plan.client = client_id{0};
    plan.sequence = bundle_sequence{1};
    plan.assignee = validator_id{2};
    const auto built = build_bundle(plan, {});
    const shared_bytes body(std::vector<char>(built.body().begin(), built.body().end()));
    const auto id = crypto::hash(crypto::tags::bundle, body);
    const std::vector bundles{
        signed_bytes{body, client.sign(crypto::bundle_statement(members->chain, id))}};
    for (std::uint64_t i = 1; i <= 3; ++i)
      x.hears(peer_of(2), encode_batch(validator_id{2}, worker_id{}, batch_sequence{i}, bundles));
    REQUIRE(sent.size() == 3);  // to each of the others
    const auto message = decode(sent.front(), who.limits_of_batches());
    const auto& copy = std::get<batch_view>(*message);
    CHECK(copy.author == self);
    CHECK(copy.bundles.front().sig == bundles.front().sig);
  }

  TEST_CASE("every kind has a name of its own, and nearly every one sits on the links") {
    std::set<std::string> names;
    std::size_t on_links = 0;
    for (unsigned i = 0; i < byzantine_kinds; ++i) {
      const auto kind = static_cast<byzantine_kind>(i);
      names.insert(word(kind));
      on_links += make(kind, somebody(), {}) != nullptr;
    }
    CHECK(names.size() == byzantine_kinds);
    CHECK(on_links == byzantine_kinds - 2);  // `lax` and `small_change` are wrong parameters
  }
}

}  // namespace
