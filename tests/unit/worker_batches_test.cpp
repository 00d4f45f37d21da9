// actors/worker: batches: sealing, spreading, receiving, fetching, and what the log makes of them.
#include <doctest/doctest.h>

#include "messages/account_counts.hpp"
#include "tests/unit/foreign_batches.hpp"

using namespace flamingo;
using namespace flamingo::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_SUITE("worker batches") {
  TEST_CASE("a batch is sealed when it is large enough") {
    local_parameters local;
    local.batch_bytes = 5000;
    worker_harness w(0, local);
    std::size_t admitted = 0;
    worker::effects fx;
    while (fx.store.empty()) fx = w.admit(w.bundle(0, ++admitted, 10, 100), 0);
    CHECK(fx.store[0].bundles.size() == admitted);
    CHECK(fx.store[0].frame.size() >= local.batch_bytes);
    CHECK(fx.store[0].frame.size() < local.batch_bytes + 2000);
    CHECK(fx.store[0].transactions == 10 * admitted);
  }

  TEST_CASE("a batch is sealed when its first bundle has waited long enough") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    w.advance(milliseconds{30});
    w.admit(w.bundle(0, 2), 0);
    CHECK(w.core.next_deadline() == w.now + milliseconds{20});
    CHECK(w.advance(milliseconds{19}).store.empty());
    const auto fx = w.advance(milliseconds{1});
    REQUIRE(fx.store.size() == 1);
    CHECK(fx.store[0].bundles.size() == 2);
    CHECK(fx.store[0].sequence == batch_sequence{1});
    CHECK_FALSE(w.core.next_deadline());
  }

  TEST_CASE("a batch never holds more bundles or bytes than voters accept") {
    protocol_parameters rules;
    rules.max_bundles_per_batch = 4;
    rules.max_batch_bytes = 3000;
    local_parameters local;
    local.batch_bytes = 1 << 20;
    for (const std::size_t transactions : {1, 10}) {
      worker_harness w(0, local, rules);
      std::vector<checked_batch> batches;
      for (std::uint64_t i = 1; i <= 20; ++i)
        for (auto& x : w.admit(w.bundle(0, i, transactions, 100), 0).store) batches.push_back(x);
      CHECK(batches.size() >= 4);
      for (const auto& x : batches) {
        CHECK(x.bundles.size() <= rules.max_bundles_per_batch);
        CHECK(x.frame.size() <= rules.max_batch_bytes);
      }
    }
  }

  TEST_CASE("a batch acts on no more accounts than a header has room for, whatever they are") {
    const auto room = [](worker_harness& w) {
      return dag::room_for_counts(*w.members, w.protocol);
    };
    local_parameters local;
    local.batch_bytes = 1 << 20;
    worker_harness w(0, local, rules_with_room(sample_committee(), counts_bytes_max(25)));
    REQUIRE(room(w) == counts_bytes_max(25));
    std::vector<checked_batch> batches;
    // 10 transactions each: with a third bundle there might be 30 x 11 bytes.
    for (std::uint64_t i = 1; i <= 20; ++i)
      for (auto& x : w.admit(w.bundle(0, i, 10), 0).store) batches.push_back(x);
    for (auto& x : w.advance(seconds{1}).store) batches.push_back(x);
    CHECK(batches.size() == 10);
    for (const auto& x : batches) {
      CHECK(x.bundles.size() == 2);
      CHECK(x.counts.size() <= room(w));
    }
  }

  TEST_CASE(
      "a peer's batch over more accounts than a header has room for is refused by its bytes "
      "alone") {
    const auto x = seal_at(1, {1, 2});
    const auto members = sample_committee();
    worker_harness tight(0, {}, rules_with_room(members, x.batch.counts.size() - 1));
    const auto refused = receive_and_check(tight, 1, x);
    CHECK(refused.rejected == std::vector{reject::oversize});
    CHECK(refused.store.empty());
    CHECK(tight.scheme->count == 0);
    worker_harness wide(0, {}, rules_with_room(members, x.batch.counts.size()));
    CHECK(receive_and_check(wide, 1, x).store.size() == 1);
  }

  TEST_CASE("what the log consumed meanwhile is left out of a batch") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    w.admit(w.bundle(0, 2), 0);
    const auto elsewhere = seal_at(0, {1}, 9);
    w.step(worker::sub_dag_sequenced{w.commit(1, elsewhere.batch)});
    const auto fx = w.advance(seconds{1});
    REQUIRE(fx.store.size() == 1);
    REQUIRE(fx.store[0].bundles.size() == 1);
    CHECK(fx.store[0].bundles[0].sequence == bundle_sequence{2});
  }

  TEST_CASE("a sealed batch goes to every peer at once and counts as durable only when it is") {
    worker_harness w;
    for (std::uint16_t i = 1; i < 4; ++i) w.step(worker::peer_up{validator_id{i}});
    w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    REQUIRE(sealed.batches.size() == 3);
    CHECK(sealed.batches[0].frame.data() == sealed.store.at(0).frame.data());
    CHECK(sealed.available.empty());
    const batch_stored stored{sealed.store[0].id, batch_sequence{1}};
    for (std::uint16_t i = 1; i < 3; ++i)
      CHECK(w.step(worker::stored_arrived{validator_id{i}, stored}).available.empty());
    w.now += milliseconds{40};
    const auto fx = w.durable(sealed);
    REQUIRE(fx.indexes.size() == 1);
    CHECK(fx.indexes[0].bundles == sealed.store[0].bundles);
    REQUIRE(fx.available.size() == 1);
    CHECK(fx.available[0].id == sealed.store[0].id);
    CHECK(fx.available[0].wait == milliseconds{40});
    CHECK(fx.available[0].transactions == 3);
    CHECK(decode_counts(fx.available[0].counts, 10)->size() == 3);
    CHECK(fx.acks.empty());
  }

  TEST_CASE("a peer's batch is acknowledged and told only once it is durable") {
    worker_harness w;
    const auto x = seal_at(1, {1, 2});
    const auto fx = receive_and_check(w, 1, x);
    REQUIRE(fx.store.size() == 1);
    CHECK(fx.acks.empty());
    CHECK(fx.available.empty());
    const auto then = w.durable(fx);
    REQUIRE(then.acks.size() == 1);
    CHECK(then.acks[0].first == validator_id{1});
    CHECK(then.acks[0].second == batch_stored{x.batch.id, batch_sequence{1}});
    REQUIRE(then.available.size() == 1);
    CHECK(then.available[0].counts_digest == x.batch.counts_digest);
    CHECK(then.available[0].counts.empty());
    CHECK(then.indexes.at(0).bundles == x.batch.bundles);
  }

  TEST_CASE("a batch sent again is acknowledged again without checking a signature") {
    worker_harness w;
    const auto x = seal_at(1, {1, 2, 3});
    const auto first = receive_and_check(w, 1, x);
    CHECK(receive_and_check(w, 1, x).acks.empty());  // it will be, when it is durable
    w.durable(first);
    const auto checked = w.scheme->count;
    const auto again = receive_and_check(w, 1, x);
    CHECK(again.store.empty());
    REQUIRE(again.acks.size() == 1);
    CHECK(w.scheme->count == checked);
    CHECK(checked == 3);
  }

  TEST_CASE("one wrong signature spoils a batch, and its twin with right ones is taken") {
    worker_harness w;
    const auto x = seal_at(1, {1, 2});
    std::vector<char> bytes(x.batch.frame.data(), x.batch.frame.data() + x.batch.frame.size());
    const auto message = decode(x.frame(), {4 << 20, 512, 1 << 20});
    const auto& bundles = std::get<batch_view>(*message).bundles;
    // The signature follows the body.
    const auto at = static_cast<std::size_t>(bundles[1].body.data() - x.batch.frame.data()) +
                    bundles[1].body.size();
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    const auto receive_bad = [&] {
      auto fx = w.receive(1, wire<schema::WorkerMessage>(shared_bytes(bytes)));
      append(fx, w.work());
      CHECK(fx.store.empty());
      return fx.rejected;
    };
    // An honest author sends none: whoever sends more than one a second is not listened to.
    const auto other = seal_at(2, {3});
    for (int i = 0; i < 2; ++i) CHECK(receive_bad() == std::vector{reject::bad_signature});
    const auto checked = w.scheme->count;
    for (int i = 0; i < 100; ++i) CHECK(receive_bad() == std::vector{reject::too_many_requests});
    CHECK(w.scheme->count == checked);
    CHECK(receive_and_check(w, 2, other).store.size() == 1);
    w.advance(seconds{1});
    CHECK(receive_and_check(w, 1, x).store.size() == 1);
  }

  TEST_CASE("nobody sends another author's batch unasked, or one of another worker") {
    worker_harness w;
    const auto x = seal_at(1, {1});
    CHECK(receive_and_check(w, 2, x).rejected == std::vector{reject::not_requested});
    const auto view = decode(x.frame(), {4 << 20, 512, 1 << 20});
    auto other = std::get<batch_view>(*view);
    other.worker = worker_id{1};
    CHECK(w.step(worker::batch_arrived{validator_id{1}, other, x.batch.frame}).rejected ==
          std::vector{reject::wrong_author});
    CHECK(w.receive(0, seal_at(0, {1}).frame()).rejected == std::vector{reject::wrong_author});
    CHECK_FALSE(w.core.has_checks());
  }

  TEST_CASE("one author's flood waits in its own bounded queue while another is served") {
    local_parameters local;
    local.peer_window_bytes = 5000;
    worker_harness w(0, local);
    int refused = 0;
    for (std::uint64_t i = 1; i <= 50; ++i) {
      const auto fx = w.receive(1, seal_at(1, {i}, i, 10).frame());
      refused += static_cast<int>(fx.rejected.size());
    }
    CHECK(refused > 30);
    w.receive(2, seal_at(2, {1}, 1, 10).frame());
    int before = 0;
    while (std::get<worker::batch_check>(*w.core.next_check()).from != validator_id{2}) ++before;
    CHECK(before <= 10);
  }

  TEST_CASE("an author's batches that no commit outputs are bounded here too") {
    local_parameters local;
    local.max_uncommitted_bytes = 2000 + 5 * worker::batch_records::overhead;
    worker_harness w(0, local);
    std::size_t stored = 0, refused = 0;
    for (std::uint64_t i = 1; i <= 50; ++i) {
      const auto fx = receive_and_check(w, 1, seal_at(1, {i}, i));
      stored += fx.store.size();
      refused += fx.rejected.size();
    }
    CHECK(stored >= 5);
    CHECK(stored < 15);
    CHECK(stored + refused == 50);
    CHECK(receive_and_check(w, 2, seal_at(2, {1})).store.size() == 1);
  }

  TEST_CASE("who is asked for one batch cannot slip in others beyond its author's bound") {
    local_parameters local;
    local.max_uncommitted_bytes = 2000 + 5 * worker::batch_records::overhead;
    worker_harness w(0, local);
    w.step(worker::peer_up{validator_id{1}});
    const auto asked = seal_at(1, {51}, 51);
    w.step(worker::batches_wanted{wanted(asked.batch, {validator_id{1}})});
    std::size_t stored = 0;
    for (std::uint64_t i = 1; i <= 50; ++i)
      stored += receive_and_check(w, 1, seal_at(1, {i}, i)).store.size();
    CHECK(stored < 15);
    // What was asked for is taken, as the log waits for it.
    CHECK(receive_and_check(w, 1, asked).store.size() == 1);
  }

  TEST_CASE("tiny batches count for more than their bytes") {
    local_parameters local;
    local.max_uncommitted_bytes = 50'000;
    worker_harness w(0, local);
    std::uint64_t stored = 0;
    for (std::uint64_t i = 1; i <= 150; ++i)
      stored += receive_and_check(w, 1, seal_at(1, {i}, i, 0)).store.size();
    CHECK(stored * worker::batch_records::overhead <= 100'000);
  }

  TEST_CASE("while the store's queue is full no batch of a peer is taken, and none is lost") {
    worker_harness w;
    const auto x = seal_at(1, {1});
    const auto message = decode(x.frame(), {4 << 20, 512, 1 << 20});
    const auto& view = std::get<batch_view>(*message);
    const auto fx = w.step(worker::batch_arrived{validator_id{1}, view, x.batch.frame, true});
    CHECK(fx.rejected == std::vector{reject::too_many_pending});
    CHECK_FALSE(w.core.has_checks());
    CHECK(receive_and_check(w, 1, x).store.size() == 1);  // sent again
  }

  TEST_CASE("clients get a turn between peers' batches, and batches go first") {
    worker_harness w;
    for (std::uint64_t i = 1; i <= 20; ++i) w.receive(1, seal_at(1, {i}, i).frame());
    w.offer(w.bundle(0, 1), 0);
    std::string order;
    while (auto next = w.core.next_check())
      order += std::holds_alternative<worker::batch_check>(*next) ? 'b' : 'c';
    CHECK(order == "bbbbbbbbcbbbbbbbbbbbb");
  }

  TEST_CASE("operations of fresh bundles go to the executors straight from memory") {
    worker_harness w;
    const auto x = seal_at(1, {1, 2, 3});
    w.durable(receive_and_check(w, 1, x));
    auto sub_dag = w.commit(1, x.batch);
    sub_dag.batches[0].bundles[1].what = verdict::duplicate;
    auto fx = w.step(worker::sub_dag_sequenced{sub_dag});
    REQUIRE(fx.payload.size() == 1);
    CHECK(fx.payload[0].fresh == std::vector{true, false, true});
    REQUIRE(fx.payload[0].operations);
    const auto expected = w.checks.pack(
        std::get<batch_view>(*decode(x.frame(), {4 << 20, 512, 1 << 20})), x.batch.id);
    CHECK(fx.payload[0].operations->bytes == expected->bytes);
    CHECK(fx.committed.size() == 1);
    CHECK(fx.windows == std::vector{client_id{1}});
    // Said again (an executor restarted): given again, from the store.
    fx = w.step(worker::sub_dag_sequenced{sub_dag});
    REQUIRE(fx.payload.size() == 1);
    CHECK_FALSE(fx.payload[0].operations);
    CHECK(fx.payload[0].batch == worker::batch_key{validator_id{1}, batch_sequence{1}, x.batch.id});
    CHECK(fx.committed.empty());
  }

  TEST_CASE("operations in memory are bounded and the oldest are read from the store instead") {
    local_parameters local;
    local.batch_cache_bytes = 300;  // a batch of 3 transactions takes about 80 bytes
    worker_harness w(0, local);
    std::vector<foreign_batch> all;
    for (std::uint64_t i = 1; i <= 10; ++i) {
      all.push_back(seal_at(1, {i}, i));
      w.durable(receive_and_check(w, 1, all.back()));
    }
    int in_memory = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      in_memory +=
          w.step(worker::sub_dag_sequenced{w.commit(i + 1, all[i].batch)}).payload.at(0).operations
              ? 1
              : 0;
    CHECK(in_memory >= 2);
    CHECK(in_memory <= 4);
  }

  TEST_CASE("a wanted batch that is here is answered from the store, and once when it is durable") {
    worker_harness w;
    const auto x = seal_at(1, {1});
    const auto fx = receive_and_check(w, 1, x);
    CHECK(w.step(worker::batches_wanted{wanted(x.batch, {})}).stored_indexes.empty());
    CHECK(w.durable(fx).indexes.size() == 1);
    const auto again = w.step(worker::batches_wanted{wanted(x.batch, {})});
    REQUIRE(again.stored_indexes.size() == 1);
    CHECK(again.requests.empty());
  }

  TEST_CASE("a wanted batch that is not here is fetched from signers and then answered") {
    worker_harness w;
    w.step(worker::peer_up{validator_id{2}});
    const auto x = seal_at(1, {1});
    auto fx = w.step(worker::batches_wanted{wanted(x.batch, {validator_id{2}})});
    REQUIRE(fx.requests.size() == 1);
    CHECK(fx.requests[0].first == validator_id{2});
    CHECK(fx.requests[0].second.batches == std::vector{x.batch.id});
    fx = receive_and_check(w, 2, x);
    REQUIRE(fx.store.size() == 1);
    const auto then = w.durable(fx);
    CHECK(then.indexes.size() == 1);
    REQUIRE(then.acks.size() == 1);
    CHECK(then.acks[0].first == validator_id{1});  // its author wants to know
    CHECK(w.core.wanted() == 0);
  }

  TEST_CASE("who is asked for one batch cannot slip in another") {
    worker_harness w;
    w.step(worker::peer_up{validator_id{2}});
    const auto x = seal_at(1, {1}), other = seal_at(1, {2}, 2);
    w.step(worker::batches_wanted{wanted(x.batch, {validator_id{2}})});
    const auto fx = receive_and_check(w, 2, other);
    CHECK(fx.store.empty());
    CHECK(fx.rejected == std::vector{reject::not_requested});
  }

  TEST_CASE("a committed batch that is not here is fetched and its operations follow") {
    worker_harness w;
    for (std::uint16_t i = 1; i < 4; ++i) w.step(worker::peer_up{validator_id{i}});
    const auto x = seal_at(1, {1, 2});
    auto fx = w.step(worker::sub_dag_sequenced{w.commit(3, x.batch)});
    CHECK(fx.payload.empty());
    REQUIRE(fx.requests.size() == 1);
    fx = receive_and_check(w, fx.requests[0].first.value, x);
    REQUIRE(fx.payload.size() == 1);
    CHECK(fx.payload[0].index == commit_index{3});
    CHECK(fx.payload[0].operations);
    CHECK(fx.payload[0].batch.sequence == batch_sequence{1});
    CHECK(fx.committed.size() == 1);
  }

  TEST_CASE("a committed batch without a fresh bundle needs no operations") {
    worker_harness w;
    const auto x = seal_at(1, {1});
    const auto fx = w.step(worker::sub_dag_sequenced{w.commit(3, x.batch, verdict::duplicate)});
    REQUIRE(fx.payload.size() == 1);
    CHECK_FALSE(fx.payload[0].any_fresh());
    CHECK(fx.requests.empty());
  }

  TEST_CASE("peers are served what is durable here, at a bounded rate") {
    local_parameters local;
    local.peer_window_bytes = 2000;  // a second
    worker_harness w(0, local);
    const auto x = seal_at(1, {1});
    const auto fx = receive_and_check(w, 1, x);
    const batch_request request{{x.batch.id}}, invented{{digest{}}};
    CHECK(w.step(worker::request_arrived{validator_id{2}, request}).served.empty());
    w.durable(fx);
    std::size_t served = 0, refused = 0;
    for (int i = 0; i < 50; ++i) {
      const auto answer = w.step(worker::request_arrived{validator_id{2}, request});
      served += answer.served.size();
      refused += answer.rejected.size();
    }
    CHECK(served >= 3);
    CHECK(served <= 6);
    CHECK(refused == 50 - served);
    CHECK(w.step(worker::request_arrived{validator_id{3}, request}).served.size() == 1);
    // Nor are they told without end what is not here.
    std::size_t told = 0;
    for (int i = 0; i < 50; ++i)
      told += w.step(worker::request_arrived{validator_id{3}, invented}).absent.size();
    CHECK(told >= 1);
    CHECK(told <= 2);
    w.advance(seconds{10});
    CHECK(w.step(worker::request_arrived{validator_id{3}, invented}).absent.size() == 1);
  }

  TEST_CASE("who asks for what is not here is told so, and who hears it asks another worker") {
    worker_harness w;
    const auto x = seal_at(1, {1});
    const auto told =
        w.step(worker::request_arrived{validator_id{2}, batch_request{{x.batch.id, digest{}}}});
    CHECK(told.served.empty());
    REQUIRE(told.absent.size() == 1);
    CHECK(told.absent[0].first == validator_id{2});
    CHECK(told.absent[0].second == batches_absent{{x.batch.id, digest{}}});
    for (std::uint16_t v = 1; v < 4; ++v) w.step(worker::peer_up{validator_id{v}});
    const auto asked =
        w.step(worker::batches_wanted{wanted(x.batch, {validator_id{2}, validator_id{3}})});
    REQUIRE(asked.requests.size() == 1);
    const validator_id first = asked.requests[0].first;
    const auto again = w.step(worker::absence_told{first, {{x.batch.id}}});
    REQUIRE(again.requests.size() == 1);
    CHECK(again.requests[0].first != first);
    CHECK(w.step(worker::absence_told{first, {{x.batch.id}}}).requests.empty());
    CHECK(w.step(worker::absence_told{validator_id{9}, {{x.batch.id}}}).rejected ==
          std::vector{reject::unknown_validator});
  }

  TEST_CASE("committed batches are deleted behind every executor's snapshot") {
    local_parameters local;
    local.history_bytes = 0;
    worker_harness w(0, local);
    w.step(worker::executor_met{executor_id{0}});
    w.step(worker::executor_met{executor_id{1}});
    const auto x = seal_at(1, {1});
    w.durable(receive_and_check(w, 1, x));
    release(w, w.step(worker::sub_dag_sequenced{w.commit(5, x.batch)}));
    CHECK(w.step(worker::execution_advanced{progress_of(0, 9, 8)}).deletions.empty());
    CHECK(w.step(worker::execution_advanced{progress_of(1, 9, 4)}).deletions.empty());
    const auto fx = w.step(worker::execution_advanced{progress_of(1, 9, 5)});
    REQUIRE(fx.deletions.size() == 1);
    CHECK(fx.deletions[0].batch.id == x.batch.id);
    CHECK_FALSE(w.core.knows(x.batch.id));
  }

  TEST_CASE("outcomes are all here once every executor of the same life is past them") {
    worker_harness w;
    const auto progress = [](std::uint16_t who, std::uint64_t life, std::uint64_t index) {
      execution_progress x = progress_of(who, index, 0);
      x.life = life;
      return worker::execution_advanced{x};
    };
    using tickets = std::vector<std::uint64_t>;
    w.step(worker::executor_met{executor_id{0}});
    w.step(worker::executor_met{executor_id{1}});
    w.step(progress(0, 7, 12));
    w.step(progress(1, 7, 9));
    CHECK(w.step(worker::outcomes_asked{1, 7, commit_index{9}}).outcomes_kept == tickets{1});
    CHECK(w.step(worker::outcomes_asked{2, 7, commit_index{12}}).outcomes_kept.empty());
    CHECK(w.step(progress(1, 7, 11)).outcomes_kept.empty());
    // All return to a snapshot: what either of them said before counts no more.
    const auto first = w.step(progress(0, 8, 12));
    CHECK(first.outcomes_kept.empty());
    CHECK(first.outcomes_void == tickets{2});
    CHECK(w.step(worker::outcomes_asked{3, 8, commit_index{10}}).outcomes_kept.empty());
    CHECK(w.step(progress(1, 7, 12)).outcomes_kept.empty());
    CHECK(w.step(progress(1, 8, 9)).outcomes_kept.empty());
    CHECK(w.step(progress(1, 8, 10)).outcomes_kept == tickets{3});
    // Nobody waits for who has left.
    CHECK(w.step(worker::outcomes_asked{4, 8, commit_index{12}}).outcomes_kept.empty());
    CHECK(w.step(worker::executor_left{executor_id{1}}).outcomes_kept == tickets{4});
  }

  TEST_CASE("a batch that commits before its quorum was heard of is not waited for") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    w.durable(sealed);
    w.step(worker::sub_dag_sequenced{w.commit(1, sealed.store[0])});
    CHECK(w.core.ingress_bytes() == 0);
    CHECK(w.step(worker::peer_up{validator_id{1}}).batches.empty());
  }
}
