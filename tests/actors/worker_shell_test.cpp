// The worker's shell: what must be durable is so before anything leaves, a restart remembers it,
// and what executors and clients get is right.
#include <doctest/doctest.h>

#include "messages/codec_worker.hpp"
#include "tests/actors/worker_world.hpp"

using namespace flamingo;
using namespace flamingo::tests;
using namespace std::chrono_literals;

namespace {

/// A link that takes notes of what would leave.
template <class Link, class Frame>
Link noting(worker_world& w, std::shared_ptr<std::vector<Frame>> into) {
  const auto take = [into](typename Link::pointer) -> typename Link::behavior_type {
    return {[into](atom::transmit, link_priority, const Frame& x) { into->push_back(x); },
            [](atom::close) {}};
  };
  return w.spawn(take);
}

/// Validator 0's worker alone, with peers and a client that take notes.
struct lone_worker : worker_world {
  std::vector<std::shared_ptr<std::vector<worker_frame>>> sent;
  std::shared_ptr<std::vector<client_frame>> told;

  void begin() {
    boot(0);
    sent.clear();
    for (unsigned i = 0; i < n; ++i) {
      sent.push_back(std::make_shared<std::vector<worker_frame>>());
      if (i > 0)
        caf::anon_send(lives[0].worker, atom::link_up_v, v(i),
                       noting<worker_link, worker_frame>(*this, sent[i]));
    }
    told = std::make_shared<std::vector<client_frame>>();
    caf::anon_send(lives[0].worker, atom::link_up_v, client_id{0},
                   noting<client_link, client_frame>(*this, told));
    run();
  }
  void offer(std::uint64_t sequence, std::size_t transactions = 3) {
    caf::anon_send(lives[0].worker, client_id{0},
                   make_bundle(*members, client_id{0}, sequence, v(0), transactions).frame);
    run();
  }
  template <class T>
  std::vector<T> to_peer(unsigned i) {
    std::vector<T> out;
    for (const auto& frame : *sent[i])
      if (const auto message = decode(frame, {4 << 20, 512, 1 << 20}))
        if (const auto* x = std::get_if<T>(&*message)) out.push_back(*x);
    return out;
  }
  template <class T>
  std::vector<T> to_client() {
    std::vector<T> out;
    for (const auto& frame : *told)
      if (const auto message = decode(frame, 1 << 20))
        if (const auto* x = std::get_if<T>(&*message)) out.push_back(*x);
    return out;
  }
  void sync_disk() {
    disks[0]->sync();
    run();
  }
  /// A commit that outputs nothing.
  void tell_nothing(std::uint64_t index, std::uint64_t anchor_round) {
    sequenced_sub_dag nothing;
    nothing.index = commit_index{index};
    nothing.anchor_round = round_number{anchor_round};
    tell(nothing);
  }
  /// Begins, and stores a batch of another validator that the log passes by with commit 1.
  void begin_with_orphan() {
    protocol.gc_depth = 10;
    local.history_rounds = 0;
    begin();
    receive(1, foreign_batch(1));
    sync_disk();
    CHECK(rows() == 3);
    tell_nothing(1, 11);
  }
  void acknowledge(unsigned from, const digest& batch, std::uint64_t sequence) {
    caf::anon_send(lives[0].worker, v(from), encode(batch_stored{batch, batch_sequence{sequence}}));
    run();
  }
  /// A batch of validator 1, as it would send it.
  worker_frame foreign_batch(std::uint64_t sequence) {
    const std::vector<signed_bytes> bundles{
        make_bundle(*members, client_id{1}, sequence, v(1)).parts()};
    return encode_batch(v(1), worker_id{0}, batch_sequence{sequence}, bundles);
  }
  void receive(unsigned from, const worker_frame& frame) {
    caf::anon_send(lives[0].worker, v(from), frame);
    run();
  }
  /// A commit of everything that is durable here, as the log would say it.
  sequenced_sub_dag commit_of(std::uint64_t index) {
    sequenced_sub_dag out;
    out.index = commit_index{index};
    out.anchor_round = round_number{index};
    for (const auto& batch : lives[0].notes->indexes) {
      sequenced_batch one{batch.id, batch.author, batch.worker, {}};
      for (const auto& head : batch.bundles)
        one.bundles.push_back(
            {head.client, head.sequence, head.id, verdict::fresh, head.transactions});
      out.batches.push_back(std::move(one));
    }
    return out;
  }
  void tell(const sequenced_sub_dag& x) {
    caf::anon_send(lives[0].worker, encode(x));
    run();
  }
  std::size_t rows() const {
    std::size_t count = 0;
    disks[0]->scan(storage::table::batches, {}, storage::key::end(), [&](byte_span, byte_span) {
      ++count;
      return true;
    });
    return count;
  }
};

}  // namespace

TEST_SUITE("worker shell") {
  TEST_CASE("a worker that its primary asks for a batch says again that it is durable") {
    lone_worker w;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    const auto& heard = w.lives[0].notes->available;
    const auto ask = [&](const digest& id) {
      caf::anon_send(w.lives[0].worker, encode(availability_question{{digest{}, id}}));
      w.run();
    };
    w.sync_disk();
    REQUIRE(heard.size() == 1);
    ask(heard[0].id);
    REQUIRE(heard.size() == 2);
    CHECK(heard[1] == heard[0]);
  }

  TEST_CASE("a peer's batch is acknowledged and announced only once it is durable") {
    lone_worker w;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    CHECK(w.to_peer<batch_stored>(1).empty());
    CHECK(w.lives[0].notes->available.empty());
    CHECK(w.lives[0].notes->indexes.empty());
    CHECK(w.disks[0]->pending() == 1);
    w.sync_disk();
    REQUIRE(w.to_peer<batch_stored>(1).size() == 1);
    CHECK(w.lives[0].notes->available.size() == 1);
    CHECK(w.lives[0].notes->indexes.size() == 1);
  }

  TEST_CASE("an own batch spreads at once and is announced after a quorum and its own sync") {
    lone_worker w;
    w.begin();
    w.offer(1);
    w.advance(60ms);
    REQUIRE(w.to_peer<batch_view>(1).size() == 1);
    CHECK(w.to_peer<batch_view>(2).size() == 1);
    CHECK(w.to_peer<batch_view>(3).size() == 1);
    w.sync_disk();
    REQUIRE(w.lives[0].notes->indexes.size() == 1);
    const digest id = w.lives[0].notes->indexes[0].id;
    CHECK(w.lives[0].notes->available.empty());
    w.acknowledge(1, id, 1);
    w.acknowledge(1, id, 1);
    CHECK(w.lives[0].notes->available.empty());
    w.acknowledge(2, id, 1);
    REQUIRE(w.lives[0].notes->available.size() == 1);
    CHECK(w.lives[0].notes->available[0].id == id);
    CHECK_FALSE(w.lives[0].notes->available[0].counts.empty());
  }

  TEST_CASE("a crash before the sync loses a batch that nobody was told of") {
    lone_worker w;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    w.crash_validator(0);
    w.begin();
    CHECK(w.lives[0].notes->available.empty());
    CHECK(w.rows() == 0);
    w.receive(1, w.foreign_batch(1));
    w.sync_disk();
    CHECK(w.to_peer<batch_stored>(1).size() == 1);
  }

  TEST_CASE("a restarted worker goes on with what it had: batches, sequence, windows") {
    lone_worker w;
    w.begin();
    w.offer(1);
    w.advance(60ms);
    w.receive(1, w.foreign_batch(1));
    w.sync_disk();
    const auto indexes = w.lives[0].notes->indexes;
    REQUIRE(indexes.size() == 2);
    w.crash_validator(0);
    w.begin();
    // The committer hears of both, the primary of the peer's; the own one spreads again.
    CHECK(w.lives[0].notes->indexes.size() == 2);
    REQUIRE(w.lives[0].notes->available.size() == 1);
    CHECK(w.lives[0].notes->available[0].author == worker_world::v(1));
    REQUIRE(w.to_peer<batch_view>(3).size() == 1);
    CHECK(w.to_peer<batch_view>(3)[0].sequence == batch_sequence{1});
    for (const auto& x : indexes)
      if (x.author == worker_world::v(0))
        for (const unsigned peer : {1u, 2u}) w.acknowledge(peer, x.id, 1);
    CHECK(w.lives[0].notes->available.size() == 2);
    w.offer(2);
    w.advance(60ms);
    CHECK(w.to_peer<batch_view>(1).back().sequence == batch_sequence{2});
    // Once committed, they are not announced again, and windows stand where they stood.
    w.sync_disk();
    w.tell(w.commit_of(1));
    w.sync_disk();
    w.crash_validator(0);
    w.begin();
    CHECK(w.lives[0].notes->indexes.empty());
    CHECK(w.to_client<welcome>().back() ==
          welcome{worker_world::v(0), bundle_sequence{3}, round_number{1}});
    w.offer(2);
    CHECK(
        std::holds_alternative<admission::duplicate>(w.to_client<admission_answer>().back().what));
  }

  TEST_CASE("operations read from the store are those that were in memory, without padding") {
    lone_worker w;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    w.offer(1, 40);
    w.advance(60ms);
    w.sync_disk();
    const auto commit = w.commit_of(1);
    REQUIRE(commit.batches.size() == 2);
    w.tell(commit);
    w.tell(commit);  // an executor restarted
    const auto& payload = w.lives[0].notes->payload;
    REQUIRE(payload.size() == 4);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& memory = payload[i].bytes();
      const auto& store = payload[i + 2].bytes();
      CHECK(std::equal(memory.data(), memory.data() + memory.size(), store.data(),
                       store.data() + store.size()));
      CHECK(memory.size() < 40 * 50);
    }
  }

  TEST_CASE("receipts are signed, and only the carrier gives result codes") {
    lone_worker w;
    w.begin();
    executed_bundles x;
    x.index = commit_index{4};
    x.anchor_round = round_number{9};
    digest carried, relayed;
    carried.bytes.fill(1);
    relayed.bytes.fill(2);
    x.bundles = {{client_id{0}, bundle_sequence{1}, carried, worker_world::v(0), 0, 2},
                 {client_id{0}, bundle_sequence{2}, relayed, worker_world::v(2), 2, 1}};
    x.results = {0, 1, 0};
    caf::anon_send(w.lives[0].worker, encode(x));
    w.run();
    const auto messages = w.to_client<signed_receipts>();
    REQUIRE(messages.size() == 1);
    const auto& parts = messages[0].parts;
    CHECK(crypto::fake_scheme{}.verify(
        w.members->validators[0].key,
        crypto::receipts_statement({w.members->chain, w.members->epoch},
                                   crypto::hash(crypto::tags::receipts, parts.body)),
        parts.sig));
    const auto said = decode_receipts(parts.body);
    REQUIRE(said);
    CHECK(said->validator == worker_world::v(0));
    REQUIRE(said->list.size() == 2);
    CHECK(said->list[0].results == std::vector<byte>{0, 1});
    CHECK(said->list[1].results.empty());
    CHECK(said->list[0].index == commit_index{4});
    CHECK(said->list[1].results_digest ==
          crypto::hash(crypto::tags::results, std::vector<byte>{0}));
  }

  TEST_CASE("a snapshot waits for outcomes to be durable, and a restart can tell them") {
    lone_worker w;
    w.local.recent_receipts = 2;
    w.begin();
    const auto execute = [&](std::uint64_t sequence) {
      executed_bundles x;
      x.index = commit_index{sequence};
      x.anchor_round = round_number{sequence};
      digest id;
      id.bytes.fill(static_cast<byte>(sequence));
      x.bundles = {{client_id{0}, bundle_sequence{sequence}, id, worker_world::v(0), 0, 2}};
      x.results = {0, 1};
      caf::anon_send(w.lives[0].worker, encode(x));
      execution_progress progress;
      progress.index = x.index;
      caf::anon_send(w.lives[0].worker, encode(progress));
      w.run();
    };
    for (const std::uint64_t sequence : {1, 2, 3}) execute(sequence);
    caf::scoped_actor asker{w.system};
    bool answered = false;
    const auto hear = [&] {
      asker->receive([&](commit_index x) { answered = x == commit_index{3}; },
                     caf::after(0s) >> [] {});
    };
    asker->send(w.lives[0].worker, atom::recorded_v, commit_index{3}, std::uint64_t{0});
    w.run();
    hear();
    CHECK_FALSE(answered);
    w.sync_disk();
    hear();
    CHECK(answered);
    execute(4);  // and no sync
    w.crash_validator(0);
    w.begin();
    for (const std::uint64_t sequence : {1, 2, 3, 4}) {
      caf::anon_send(w.lives[0].worker, client_id{0},
                     encode(client_message{receipt_query{bundle_sequence{sequence}}}));
      w.run();
    }
    std::vector<receipt> told;
    for (const auto& x : w.to_client<signed_receipts>())
      if (const auto said = decode_receipts(x.parts.body))
        told.insert(told.end(), said->list.begin(), said->list.end());
    REQUIRE(told.size() == 2);  // two are kept
    for (const std::size_t i : {0u, 1u}) {
      CHECK(told[i].sequence == bundle_sequence{2 + i});
      CHECK(told[i].index == commit_index{2 + i});
      CHECK(told[i].bundle.bytes[0] == 2 + i);
      CHECK(told[i].results == std::vector<byte>{0, 1});
    }
  }

  TEST_CASE("executed batches leave the store, and what no snapshot covers stays") {
    lone_worker w;
    w.local.history_bytes = 0;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    w.sync_disk();
    w.tell(w.commit_of(1));
    const auto before = w.rows();
    // No header that lists it has this validator's vote.
    const auto& asked = w.lives[0].notes->withdrawals;
    REQUIRE(asked.size() == 1);
    CHECK(w.lives[0].notes->withdrawn_indexes == asked);
    for (const bool by_committer : {false, true})
      caf::anon_send(w.lives[0].worker,
                     encode(withdrawal_noted{asked[0].number, round_number{}, {}, by_committer}));
    sequenced_sub_dag later;
    later.index = commit_index{2};
    later.anchor_round = round_number{w.protocol.gc_depth};
    w.tell(later);
    w.receive(1, w.foreign_batch(2));
    w.sync_disk();
    execution_progress progress;
    progress.index = progress.snapshot = commit_index{1};
    caf::anon_send(w.lives[0].worker, encode(progress));
    w.run();
    w.sync_disk();
    CHECK(w.rows() == before - 4 + 3);  // data, availability, index, mark; and the second batch
    w.crash_validator(0);
    w.begin();
    CHECK(w.lives[0].notes->indexes.size() == 1);
  }

  TEST_CASE("a batch that the log passed by leaves the store, and a restart does not know it") {
    lone_worker w;
    w.begin_with_orphan();
    const auto& asked = w.lives[0].notes->withdrawals;
    REQUIRE(asked.size() == 1);
    CHECK(w.lives[0].notes->withdrawn_indexes == asked);
    for (const bool by_committer : {false, true})
      caf::anon_send(w.lives[0].worker,
                     encode(withdrawal_noted{asked[0].number, round_number{20}, {}, by_committer}));
    w.tell_nothing(2, 30);
    w.sync_disk();
    CHECK(w.rows() == 0);
    w.crash_validator(0);
    w.begin();
    CHECK(w.lives[0].notes->available.empty());
  }

  TEST_CASE("a primary and a committer that restarted hear of batches, and withdrawals, anew") {
    lone_worker w;
    w.begin_with_orphan();
    w.restart_primary_and_committer(0);
    const auto& notes = *w.lives[0].notes;
    CHECK(notes.available.size() == 1);
    CHECK(notes.indexes.size() == 1);
    w.tell_nothing(2, 22);
    REQUIRE(notes.withdrawals.size() == 1);
    CHECK(notes.withdrawals[0].number == 2);
    CHECK(notes.withdrawn_indexes == notes.withdrawals);
  }

  TEST_CASE("a batch that only a signer has is fetched, and the committer gets its index") {
    worker_world w;
    w.boot_all();
    w.cut.insert({0, 3});
    w.cut.insert({3, 0});
    w.boot_client(0, [] {
      client::settings x;
      x.rate = 50;
      x.run_for = 1s;
      x.transaction_bytes = 64;
      return x;
    }());
    w.live(300ms);
    REQUIRE_FALSE(w.log.empty());
    // Validator 3 was told by the log alone; its worker fetched the batches from validators 1
    // and 2.
    const auto& batch = w.log[0].batches[0];
    bool told = false;
    for (const auto& index : w.lives[3].notes->indexes) told |= index.id == batch.id;
    CHECK(told);
    REQUIRE_FALSE(w.lives[3].notes->payload.empty());
    CHECK(decode(w.lives[3].notes->payload[0])->bundles[0].size() > 0);
  }

  TEST_CASE("garbage from peers and clients is counted and changes nothing") {
    lone_worker w;
    w.begin();
    for (const std::size_t size : {0, 8, 64, 4096}) {
      const shared_bytes garbage{std::vector<char>(size, '\x5a')};
      w.receive(1, worker_frame(garbage));
      caf::anon_send(w.lives[0].worker, client_id{0}, client_frame(garbage));
      w.run();
    }
    caf::anon_send(w.lives[0].worker, worker_world::v(77), w.foreign_batch(1));
    caf::anon_send(w.lives[0].worker, client_id{77},
                   make_bundle(*w.members, client_id{0}, 1, worker_world::v(0)).frame);
    w.run();
    CHECK(w.rejected("worker", reject::malformed) == 8);
    CHECK(w.rejected("worker", reject::wrong_author) == 1);
    CHECK(w.rejected("worker", reject::unknown_client) == 1);
    CHECK(w.disks[0]->pending() == 0);
    CHECK(w.failures.empty());
    w.offer(1);
    CHECK(std::holds_alternative<admission::admitted>(w.to_client<admission_answer>().back().what));
  }

  TEST_CASE("a bundle that is too large is refused under its own sequence") {
    lone_worker w;
    w.protocol.max_bundle_bytes = 4096;
    w.begin();
    w.offer(7, 500);
    REQUIRE(w.to_client<admission_answer>().size() == 1);
    const auto answer = w.to_client<admission_answer>()[0];
    CHECK(answer.sequence == bundle_sequence{7});
    REQUIRE(std::holds_alternative<admission::invalid>(answer.what));
    CHECK(std::get<admission::invalid>(answer.what).reason == to_string(bundle_fault::too_large));
    CHECK(w.rejected("worker", reject::oversize) == 1);
  }

  TEST_CASE("a store that refuses stops the worker before anything is acknowledged") {
    lone_worker w;
    w.begin();
    w.receive(1, w.foreign_batch(1));
    w.disks[0]->fail(storage::failure::disk_full);
    w.sync_disk();
    CHECK(w.to_peer<batch_stored>(1).empty());
    CHECK(w.failures.size() == 1);
  }

  TEST_CASE("both links of a client get its answers, and the other still does when one is gone") {
    lone_worker w;
    w.begin();
    auto second = std::make_shared<std::vector<client_frame>>();
    const auto link = noting<client_link, client_frame>(w, second);
    caf::anon_send(w.lives[0].worker, atom::link_up_v, client_id{0}, link);
    w.offer(1);
    CHECK(w.to_client<admission_answer>().size() == 1);
    CHECK(second->size() == 2);  // welcome and answer
    caf::anon_send(w.lives[0].worker, atom::link_down_v, client_id{0}, link);
    w.offer(2);
    CHECK(second->size() == 2);
    CHECK(w.to_client<admission_answer>().size() == 2);
  }
}
