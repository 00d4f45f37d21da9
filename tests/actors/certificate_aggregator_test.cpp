// The certificate aggregator's shell: what it gives out is certified, complete and durable.
#include "actors/certificate_aggregator/certificate_aggregator_actor.hpp"

#include <doctest/doctest.h>

#include "messages/codec_validator.hpp"
#include "tests/actors/shell_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// Validator 0's aggregator, with notes of what it sends to the others and gives to two sinks.
struct aggregator_bench : shell_bench {
  aggregator_actor role;
  std::vector<notes<peer_message>> sent;
  notes<certified_header> given[2];
  std::vector<certified_sink> sinks;

  void introduce() {
    for (const auto& sink : sinks) caf::anon_send(role, atom::meet_v, sink);
  }
  void boot() {
    role = spawn(certificate_aggregator::shell, environment(0));
    sent.clear();
    sinks.clear();
    for (auto& sink : given) {
      sink = std::make_shared<std::vector<certified_header>>();
      sinks.push_back(certified_notes(sink));
    }
    introduce();
    for (unsigned i = 0; i < n; ++i) {
      sent.push_back(std::make_shared<std::vector<peer_message>>());
      if (i > 0) caf::anon_send(role, atom::link_up_v, v(i), link(sent[i]));
    }
    run();
  }
  template <class T>
  void receive(unsigned from, const T& x) {
    caf::anon_send(role, v(from), encode_peer(x));
    run();
  }
  void hand_over(const signed_header& x) {
    caf::anon_send(role, encode(x.bytes));
    run();
  }
  template <class T>
  std::vector<T> to(unsigned peer) const {
    return all_of<T>(*sent[peer]);
  }
  std::vector<dag_position> positions(unsigned sink = 0) const {
    std::vector<dag_position> all;
    for (const auto& x : *given[sink]) all.push_back(x.hdr.position());
    return all;
  }
  double refused(reject why) { return rejected("certificate_aggregator", why); }

  /// Certified headers of rounds 1 to `last`, by round, then author.
  std::vector<certified_header> history(std::uint64_t last) const {
    std::vector<certified_header> all;
    std::vector<digest> parents = genesis();
    for (std::uint64_t round = 1; round <= last; ++round) {
      std::vector<digest> ids;
      for (unsigned a = 0; a < n; ++a) {
        header x;
        x.author = v(a);
        x.round = r(round);
        x.parents = parents;
        all.push_back(certify(sign(x), {1, 2, 3}));
        ids.push_back(all.back().hdr.id);
      }
      parents = ids;
    }
    return all;
  }
  void learn(const certified_header& x) {
    hand_over({x.hdr, x.bytes});
    receive(x.hdr.author.value == 0 ? 1 : x.hdr.author.value, x.cert);
  }
};

}  // namespace

TEST_SUITE("certificate aggregator actor") {
  TEST_CASE("a quorum of votes makes one certificate, announced and given out once it is durable") {
    aggregator_bench b;
    b.boot();
    const auto own = b.first_header(0);
    b.hand_over(own);
    b.receive(0, b.vote_for(own.hdr, 0));
    b.receive(1, b.vote_for(own.hdr, 1));
    CHECK(b.store->pending() == 0);
    b.receive(3, b.vote_for(own.hdr, 3));
    CHECK(b.store->pending() == 1);
    CHECK(b.to<certificate>(1).empty());
    CHECK(b.given[0]->empty());
    b.sync();
    for (unsigned peer : {1, 2, 3}) {
      const auto certificates = b.to<certificate>(peer);
      REQUIRE(certificates.size() == 1);
      CHECK(certificates[0].header == own.hdr.id);
      CHECK(crypto::check_certificate(crypto::fake_scheme{}, *b.members, certificates[0], 3));
    }
    for (const auto& sink : b.given) {
      REQUIRE(sink->size() == 1);
      CHECK((*sink)[0].hdr.id == own.hdr.id);
      CHECK((*sink)[0].bytes.sig == own.bytes.sig);
    }
    b.receive(2, b.vote_for(own.hdr, 2));
    CHECK(b.store->pending() == 0);
  }

  TEST_CASE("sinks that are introduced again are given each certificate once") {
    aggregator_bench b;
    b.boot();
    for (int i = 0; i < 3; ++i) b.introduce();
    b.learn(b.history(1)[1]);
    b.sync();
    for (unsigned sink : {0, 1}) CHECK(b.positions(sink) == std::vector{at(1, 1)});
  }

  TEST_CASE("forged votes and certificates are refused and counted") {
    aggregator_bench b;
    b.boot();
    const auto own = b.first_header(0);
    b.hand_over(own);
    auto forged = b.vote_for(own.hdr, 1);
    forged.sig.bytes[0] ^= 1;
    b.receive(1, forged);
    CHECK(b.refused(reject::bad_signature) == 1);
    const auto x = b.first_header(2);
    b.hand_over(x);
    auto certified = b.certify(x, {0, 1, 3});
    certified.cert.votes[1].second = {};
    b.receive(2, certified.cert);
    CHECK(b.refused(reject::bad_signature) == 2);
    b.receive(2, b.certify(x, {0, 1}).cert);
    CHECK(b.refused(reject::too_few_votes) == 1);
    b.receive(2, b.certify(x, {0, 1, 3}).cert);
    b.sync();
    CHECK(b.positions() == std::vector{at(2, 1)});
  }

  TEST_CASE("a crash before the sync loses the certificate, and nobody heard of it") {
    aggregator_bench b;
    b.boot();
    b.learn(b.history(1)[1]);
    CHECK(b.given[0]->empty());
    b.crash();
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.run();
    CHECK(b.given[0]->empty());
  }

  TEST_CASE("after a restart all that is stored above the floor is given out in causal order") {
    aggregator_bench b;
    b.boot();
    const auto all = b.history(5);
    for (const auto& x : all) b.learn(x);
    commit_notice notice;
    notice.index = commit_index{1};
    notice.anchor_round = r(52);
    notice.floor = r(2);
    caf::anon_send(b.role, encode(notice));
    b.run();
    b.sync();
    CHECK(b.positions().size() == 20);
    b.crash();
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.run();
    for (unsigned sink : {0, 1}) {
      const auto given = b.positions(sink);
      REQUIRE(given.size() == 12);
      CHECK(std::is_sorted(given.begin(), given.end()));
      CHECK(given.front() == at(0, 3));
    }
    CHECK((*b.given[0])[0].cert.votes == all[8].cert.votes);
    // Own certificates are announced again to each link that comes up.
    CHECK(b.to<certificate>(2).size() == 3);
  }

  TEST_CASE("peers get what they ask for from the store, also below the floor") {
    aggregator_bench b;
    b.boot();
    const auto all = b.history(5);
    for (const auto& x : all) b.learn(x);
    commit_notice notice;
    notice.floor = r(4);
    caf::anon_send(b.role, encode(notice));
    b.run();
    b.sync();
    b.receive(3, header_request{{all[2].hdr.id, id_of(at(9, 9)), all[17].hdr.id}});
    b.receive(2, round_range{r(2), r(3)});
    const auto answers = b.to<certified_header>(3);
    REQUIRE(answers.size() == 2);
    CHECK(answers[0].hdr.id == all[2].hdr.id);
    CHECK(answers[1].hdr.id == all[17].hdr.id);
    CHECK(answers[1].cert.votes == all[17].cert.votes);
    CHECK(b.to<certified_header>(2).size() == 8);
    CHECK(b.to<certified_header>(1).empty());
  }

  TEST_CASE("a missing ancestor is asked for, and its answer completes what waited") {
    aggregator_bench b;
    b.boot();
    const auto all = b.history(2);
    for (unsigned i : {0, 1, 2}) b.learn(all[i]);
    b.learn(all[5]);  // has the missing one of validator 3 as a parent
    b.sync();
    CHECK(b.positions().size() == 3);
    b.advance(b.local.fetch_delay);
    const auto asked = b.to<header_request>(1);  // the author of the header that refers to it
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].headers == std::vector{all[3].hdr.id});
    b.receive(1, all[3]);
    b.sync();
    CHECK(b.positions() == std::vector{at(0, 1), at(1, 1), at(2, 1), at(3, 1), at(1, 2)});
    b.advance(10s);
    CHECK(b.to<header_request>(1).size() == 1);
  }

  TEST_CASE("what nobody asked for is refused unchecked, and an answer with wrong votes, too") {
    aggregator_bench b;
    b.boot();
    const auto all = b.history(2);
    b.receive(1, all[3]);
    CHECK(b.refused(reject::not_requested) == 1);
    for (unsigned i : {0, 1, 2}) b.learn(all[i]);
    b.learn(all[5]);
    b.advance(b.local.fetch_delay);
    auto forged = all[3];
    forged.cert.votes[0].second = {};
    b.receive(1, forged);
    CHECK(b.refused(reject::bad_signature) == 1);
    b.sync();
    CHECK(b.positions().size() == 3);
  }

  TEST_CASE("frames that are no message for it are refused and counted") {
    aggregator_bench b;
    b.boot();
    caf::anon_send(b.role, v(1), peer_frame(shared_bytes(std::vector<char>(40, 'y'))));
    caf::anon_send(b.role, v(1), encode_peer(b.first_header(1).bytes));
    caf::anon_send(b.role, signed_frame());
    b.run();
    CHECK(b.refused(reject::malformed) == 3);
  }

  TEST_CASE("history beyond what is kept for others is deleted from the store") {
    aggregator_bench b;
    b.local.history_rounds = 1;
    b.boot();
    for (const auto& x : b.history(5)) b.learn(x);
    for (std::uint64_t i = 1; i <= 3; ++i) {  // checkpoints, of which as many are kept for others
      commit_notice notice;
      notice.index = commit_index{i * b.protocol.checkpoint_anchors};
      notice.floor = r(1 + i);
      caf::anon_send(b.role, encode(notice));
    }
    b.run();
    b.sync();
    unsigned rows = 0;
    b.store->scan(storage::table::certificates, {}, storage::key::end(),
                  [&](byte_span, byte_span) { return ++rows; });
    CHECK(rows == 3 * 4);
  }

  TEST_CASE("a damaged store stops the aggregator with one line") {
    aggregator_bench b;
    storage::write_batch writes;
    writes.put(storage::table::certificates, storage::key::of(r(3), v(1)), std::vector<char>(50));
    b.store->write(std::move(writes), [](const storage::write_result&) {});
    b.spawn(certificate_aggregator::shell, b.environment(0));
    b.run();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("certificates") != std::string::npos);
  }
}
