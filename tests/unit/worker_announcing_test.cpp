// actors/worker: which batches the own primary hears of, and when it hears of them again.
#include <doctest/doctest.h>

#include "tests/unit/foreign_batches.hpp"

using namespace flamingo;
using namespace flamingo::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_SUITE("worker announcing") {
  TEST_CASE("after a restart own batches are announced again once a quorum acknowledges again") {
    worker_harness before;
    before.admit(before.bundle(0, 1), 0);
    const auto sealed = before.advance(seconds{1});
    const auto& own = sealed.store.at(0);
    const auto received = seal_at(1, {1});

    worker_harness w;
    const auto stored = [](const checked_batch& x) {
      return batch_available{x.id,     x.author, worker_id{0},  x.transactions, x.counts_digest,
                             x.counts, {},       x.frame.size()};
    };
    w.core.restore(stored(own), own.sequence, own.bundles, std::nullopt, w.now);
    w.core.restore(stored(received.batch), received.batch.sequence, received.batch.bundles,
                   std::nullopt, w.now);
    const auto fx = w.step(worker::started{});
    CHECK(fx.stored_indexes.size() == 2);
    REQUIRE(fx.available.size() == 1);
    CHECK(fx.available[0].id == received.batch.id);
    const auto up = w.step(worker::peer_up{validator_id{1}});
    REQUIRE(up.batches.size() == 1);
    CHECK(up.batches[0].frame.empty());  // from the store
    const batch_stored ack{own.id, own.sequence};
    w.step(worker::stored_arrived{validator_id{1}, ack});
    const auto quorum = w.step(worker::stored_arrived{validator_id{2}, ack});
    REQUIRE(quorum.available.size() == 1);
    CHECK(quorum.available[0].counts == own.counts);
    // Its client is answered as before, and the next batch continues the sequence.
    CHECK(only_answer<admission::admitted>(w.admit(w.bundle(0, 1), 0)));
    w.admit(w.bundle(0, 2), 0);
    CHECK(w.advance(seconds{1}).store.at(0).sequence == batch_sequence{2});
  }

  TEST_CASE("a primary that restarts hears again of every batch that is not committed") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    REQUIRE(sealed.store.size() == 1);
    const auto& own = sealed.store[0];
    // What is not durable here is not told.
    CHECK(w.step(worker::started{}).available.empty());
    w.durable(sealed);
    const batch_stored ack{own.id, own.sequence};
    w.step(worker::stored_arrived{validator_id{1}, ack});
    const auto quorum = w.step(worker::stored_arrived{validator_id{2}, ack});
    REQUIRE(quorum.available.size() == 1);
    CHECK(w.step(worker::started{}).available == quorum.available);
    w.step(worker::sub_dag_sequenced{w.commit(1, own)});
    CHECK(w.step(worker::started{}).available.empty());
  }

  TEST_CASE("a primary that asks for batches hears of those that are durable, committed or not") {
    worker_harness w;
    const auto x = seal_at(1, {1}), other = seal_at(2, {2});
    const worker::availability_asked question{{{x.batch.id, other.batch.id}}};
    const auto fx = receive_and_check(w, 1, x);
    CHECK(w.step(question).available.empty());
    const auto first = w.durable(fx).available;
    REQUIRE(first.size() == 1);
    CHECK(w.step(question).available == first);
    w.step(worker::sub_dag_sequenced{w.commit(1, x.batch)});
    CHECK(w.step(question).available == first);
  }

  TEST_CASE("a primary that asks for own batches hears of those that are still to be proposed") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    const auto& own = sealed.store.at(0);
    const worker::availability_asked question{{{own.id}}};
    w.durable(sealed);
    CHECK(w.step(question).available.empty());  // no quorum has it yet
    const batch_stored ack{own.id, own.sequence};
    w.step(worker::stored_arrived{validator_id{1}, ack});
    const auto first = w.step(worker::stored_arrived{validator_id{2}, ack}).available;
    REQUIRE(first.size() == 1);
    CHECK(w.step(question).available == first);
    w.step(worker::sub_dag_sequenced{w.commit(1, own)});
    CHECK(w.step(question).available.empty());
  }

  TEST_CASE("an own batch that a peer gave back is committed: it is not to be proposed") {
    worker_harness w;
    w.step(worker::peer_up{validator_id{2}});
    const auto x = seal_at(0, {1});
    w.step(worker::batches_wanted{wanted(x.batch, {validator_id{2}})});
    const auto fx = receive_and_check(w, 2, x);
    REQUIRE(fx.store.size() == 1);
    const auto then = w.durable(fx);
    CHECK(then.indexes.size() == 1);
    CHECK(then.available.empty());
    CHECK(w.step(worker::started{}).available.empty());
  }
}
