// The primary's shell: what must be durable is so before anything leaves, and a restart remembers
// it.
#include "actors/primary/primary_actor.hpp"

#include <doctest/doctest.h>

#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "tests/actors/shell_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// Validator 0's primary, with notes of what it sends to the others and to its aggregator.
struct primary_bench : shell_bench {
  primary_actor role;
  std::vector<notes<peer_message>> sent;
  notes<signed_header> handed_over = std::make_shared<std::vector<signed_header>>();
  notes<peer_message> own_votes = std::make_shared<std::vector<peer_message>>();

  void boot() {
    role = spawn(primary::shell, environment(0));
    sent.clear();
    const auto lim = limits();
    const auto take = [headers = handed_over, votes = own_votes,
                       lim](header_sink::pointer) -> header_sink::behavior_type {
      return {[=](const signed_frame& x) { headers->push_back(*decode(x, lim)); },
              [=](validator_id, const peer_frame& x) { votes->push_back(*decode(x, lim)); }};
    };
    caf::anon_send(role, atom::meet_v, header_sink{spawn(take)});
    for (unsigned i = 0; i < n; ++i) {
      sent.push_back(std::make_shared<std::vector<peer_message>>());
      if (i > 0) caf::anon_send(role, atom::link_up_v, v(i), link(sent[i]));
    }
    run();
  }
  void receive(unsigned from, const signed_header& x) {
    caf::anon_send(role, v(from), encode_peer(x.bytes));
    run();
  }
  std::vector<vote> votes_to(unsigned peer) const { return all_of<vote>(*sent[peer]); }
  std::vector<signed_header> headers_to(unsigned peer) const {
    return all_of<signed_header>(*sent[peer]);
  }
  double refused(reject why) { return rejected("primary", why); }
};

}  // namespace

TEST_SUITE("primary actor") {
  TEST_CASE("no vote leaves before it is durable") {
    primary_bench b;
    b.boot();
    const auto x = b.first_header(1);
    b.receive(1, x);
    CHECK(b.votes_to(1).empty());
    CHECK(b.store->pending() == 1);
    b.sync();
    REQUIRE(b.votes_to(1).size() == 1);
    const auto cast = b.votes_to(1)[0];
    CHECK(cast.header == x.hdr.id);
    CHECK(cast.voter == v(0));
    CHECK(crypto::check_vote(crypto::fake_scheme{}, *b.members, cast));
    CHECK(b.votes_to(2).empty());
    // The aggregator gets the header, in case it is certified.
    REQUIRE(b.handed_over->size() == 1);
    CHECK((*b.handed_over)[0].hdr.id == x.hdr.id);
  }

  TEST_CASE("a crash before the sync loses the vote, and nothing was sent") {
    primary_bench b;
    b.boot();
    b.receive(1, b.first_header(1));
    const auto before = b.sent;
    b.crash();
    CHECK(all_of<vote>(*before[1]).empty());
    b.boot();
    // It is free to vote for another header now: nobody saw the first vote.
    const auto other = b.first_header(1, 2);
    b.receive(1, other);
    b.sync();
    REQUIRE(b.votes_to(1).size() == 1);
    CHECK(b.votes_to(1)[0].header == other.hdr.id);
  }

  TEST_CASE("after a restart the stored vote is sent again, and another header is refused") {
    primary_bench b;
    b.boot();
    const auto x = b.first_header(1);
    b.receive(1, x);
    b.sync();
    const auto first = b.votes_to(1);
    b.crash();
    b.boot();
    b.receive(1, b.first_header(1, 2));
    b.receive(1, x);
    b.sync();
    REQUIRE(b.votes_to(1).size() == 1);
    CHECK(b.votes_to(1)[0].header == x.hdr.id);
    CHECK(b.votes_to(1)[0].sig == first[0].sig);
    CHECK(b.refused(reject::equivocation) == 1);
  }

  TEST_CASE("both headers of an equivocation are kept as they were signed") {
    primary_bench b;
    b.boot();
    const auto x = b.first_header(2), y = b.first_header(2, 2);
    b.receive(2, x);
    b.receive(2, y);
    b.sync();
    std::vector<digest> kept;
    b.store->scan(
        storage::table::headers, storage::key::of(std::uint8_t{2}), storage::key::end(),
        [&](byte_span, byte_span row) {
          const signed_frame frame{shared_bytes(std::vector<char>(row.begin(), row.end()))};
          auto hdr = decode(frame, b.limits());
          REQUIRE(hdr);
          CHECK(crypto::check_header(crypto::fake_scheme{}, *b.members, *hdr));
          kept.push_back(hdr->hdr.id);
          return true;
        });
    CHECK(kept == std::vector{x.hdr.id, y.hdr.id});
    CHECK(b.metrics->counter("flamingo_primary_equivocations_total", "", {{"author", "v2"}})
              .Value() == 1);
  }

  TEST_CASE("the own header leaves after it is durable, with its vote to the aggregator") {
    primary_bench b;
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.run();
    CHECK(b.store->pending() == 0);
    b.advance(b.local.max_header_delay);
    CHECK(b.store->pending() == 1);
    CHECK(b.headers_to(1).empty());
    b.sync();
    for (unsigned peer : {1, 2, 3}) {
      REQUIRE(b.headers_to(peer).size() == 1);
      const auto own = b.headers_to(peer)[0];
      CHECK(own.hdr.author == v(0));
      CHECK(own.hdr.round == r(1));
      CHECK(own.hdr.parents == b.genesis());
      CHECK(own.hdr.created_at == b.now());
      CHECK(crypto::check_header(crypto::fake_scheme{}, *b.members, own));
    }
    REQUIRE(b.handed_over->size() == 1);
    REQUIRE(b.own_votes->size() == 1);
    const auto& own_vote = std::get<vote>((*b.own_votes)[0]);
    CHECK(own_vote.header == b.headers_to(1)[0].hdr.id);
    CHECK(crypto::check_vote(crypto::fake_scheme{}, *b.members, own_vote));
  }

  TEST_CASE("a restarted author sends its stored header again and never another for its round") {
    primary_bench b;
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.advance(b.local.max_header_delay);
    b.sync();
    const auto first = b.headers_to(1).at(0).hdr.id;
    b.crash();
    b.handed_over->clear();
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.advance(10s);
    b.sync();
    for (unsigned peer : {1, 2, 3}) {
      REQUIRE(b.headers_to(peer).size() == 1);  // when the link came up
      CHECK(b.headers_to(peer)[0].hdr.id == first);
    }
    REQUIRE(b.handed_over->size() == 1);
    CHECK((*b.handed_over)[0].hdr.id == first);
    CHECK(b.own_votes->size() == 2);
  }

  TEST_CASE("a coin share rides in headers of odd rounds from 3 on, and a wrong one is refused") {
    primary_bench b;
    b.boot();
    std::vector<digest> parents = b.genesis();
    for (std::uint64_t round = 1; round <= 2; ++round) {
      std::vector<digest> ids;
      for (unsigned a = 0; a < 4; ++a) {
        header x;
        x.author = v(a);
        x.round = r(round);
        x.parents = parents;
        const auto signed_x = b.sign(x);
        ids.push_back(signed_x.hdr.id);
        caf::anon_send(b.role, encode(b.certify(signed_x, {0, 1, 2})));
      }
      parents = ids;
    }
    caf::anon_send(b.role, atom::start_v);
    b.advance(1s);
    b.sync();
    const auto own = b.headers_to(1);
    REQUIRE(own.size() == 1);
    CHECK(own[0].hdr.round == r(3));
    const crypto::fake_coin coin(7, 4, 1, v(0));
    CHECK(coin.verify_share(v(0), wave_number{1}, own[0].hdr.coin_share));

    header wrong;
    wrong.author = v(2);
    wrong.round = r(3);
    wrong.parents = parents;
    wrong.coin_share.assign(97, 9);
    signed_header x{wrong, {encode_header(wrong), {}}};
    x.hdr.id = header_id(x.bytes.body);
    x.bytes.sig =
        b.signer(2).sign(crypto::header_statement(crypto::context_of(*b.members), x.hdr.id));
    b.receive(2, x);
    CHECK(b.refused(reject::bad_coin_share) == 1);
  }

  TEST_CASE("what is not signed by its author, or is no header at all, is refused and counted") {
    primary_bench b;
    b.boot();
    auto x = b.first_header(1);
    x.bytes.sig.bytes[3] ^= 1;
    b.receive(1, x);
    CHECK(b.refused(reject::bad_signature) == 1);
    caf::anon_send(b.role, v(1), peer_frame(shared_bytes(std::vector<char>(24, 'x'))));
    caf::anon_send(b.role, v(1), peer_frame());
    caf::anon_send(b.role, v(1), encode_peer(round_range{r(1), r(2)}));
    b.run();
    CHECK(b.refused(reject::malformed) == 3);
    b.sync();
    CHECK(b.votes_to(1).empty());
  }

  TEST_CASE("batches that a header lacks are asked of the worker that they are of") {
    primary_bench b;
    b.protocol.workers = 2;
    b.boot();
    auto x = b.first_header(1).hdr;
    for (byte i = 1; i <= 3; ++i) {
      digest batch;
      batch.bytes.fill(i);
      x.payload.push_back({batch, worker_id{static_cast<std::uint16_t>(i % 2)}, 1, {}, {}});
    }
    b.receive(1, b.sign(x));
    std::vector<std::vector<digest>> asked(2);
    for (std::uint16_t i = 0; i < 2; ++i) {
      const auto take = [&asked,
                         i](availability_source::pointer) -> availability_source::behavior_type {
        return {[&asked, i](const question_frame& y) { asked[i] = decode(y)->batches; },
                [](const noted_frame&) {}};
      };
      caf::anon_send(b.role, atom::meet_v, worker_id{i}, availability_source{b.spawn(take)});
    }
    b.run();
    CHECK(asked[0] == std::vector{x.payload[1].batch});
    CHECK(asked[1] == std::vector{x.payload[0].batch, x.payload[2].batch});
  }

  TEST_CASE("a worker's withdrawal is answered to that worker, with the highest round voted for") {
    primary_bench b;
    b.protocol.workers = 2;
    b.boot();
    std::vector<std::vector<withdrawal_noted>> told(2);
    for (std::uint16_t i = 0; i < 2; ++i) {
      const auto take = [&told,
                         i](availability_source::pointer) -> availability_source::behavior_type {
        return {[](const question_frame&) {},
                [&told, i](const noted_frame& y) { told[i].push_back(*decode(y)); }};
      };
      caf::anon_send(b.role, atom::meet_v, worker_id{i}, availability_source{b.spawn(take)});
    }
    b.receive(1, b.first_header(1));
    caf::anon_send(b.role, encode(batch_withdrawal{3, worker_id{1}, {digest{}}}));
    b.run();
    CHECK(told[1].empty());  // the vote is not durable yet
    b.sync();
    CHECK(told[0].empty());
    CHECK(told[1] == std::vector{withdrawal_noted{3, r(1), {}}});
  }

  TEST_CASE("if the store refuses, no vote leaves and the environment is told") {
    primary_bench b;
    b.boot();
    b.store->fail(storage::failure::disk_full);
    b.receive(1, b.first_header(1));
    b.sync();
    CHECK(b.votes_to(1).empty());
    CHECK(b.failures.size() == 1);
  }

  TEST_CASE("a damaged store stops the primary with one line") {
    primary_bench b;
    storage::write_batch writes;
    writes.put(storage::table::votes, storage::key::of(r(3), v(1)), std::vector<char>{1, 2, 3});
    b.store->write(std::move(writes), [](const storage::write_result&) {});
    b.spawn(primary::shell, b.environment(0));
    b.run();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("votes") != std::string::npos);
  }

  TEST_CASE("damaged evidence stops the primary with one line") {
    primary_bench b;
    b.boot();
    b.receive(2, b.first_header(2));
    b.receive(2, b.first_header(2, 2));
    b.sync();
    b.crash();
    storage::write_batch writes;
    writes.erase(storage::table::headers,
                 storage::key::of(std::uint8_t{2}, v(2), std::uint32_t{0}, std::uint8_t{1}));
    b.store->write(std::move(writes), [](const storage::write_result&) {});
    b.boot();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("headers") != std::string::npos);
  }

  TEST_CASE("votes and headers at or below the floor are deleted, except the newest own header") {
    primary_bench b;
    b.boot();
    caf::anon_send(b.role, atom::start_v);
    b.advance(b.local.max_header_delay);
    b.receive(1, b.first_header(1));
    b.sync();
    commit_notice notice;
    notice.index = commit_index{1};
    notice.anchor_round = r(60);
    notice.floor = r(10);
    caf::anon_send(b.role, encode(notice));
    b.run();
    b.sync();
    const auto rows = [&](storage::table where) {
      unsigned count = 0;
      b.store->scan(where, {}, storage::key::end(), [&](byte_span, byte_span) { return ++count; });
      return count;
    };
    CHECK(rows(storage::table::votes) == 0);
    CHECK(rows(storage::table::headers) == 1);
    b.crash();
    b.boot();
    b.receive(2, b.first_header(2));
    CHECK(b.refused(reject::round_too_low) == 1);
  }
}
