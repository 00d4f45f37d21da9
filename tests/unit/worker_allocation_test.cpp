// The way of a transaction from the client that draws it to the payload that executors get:
// nothing is allocated for each transaction (design: the hot path).
#include <doctest/doctest.h>

#include "actors/client/workload.hpp"
#include "messages/stream_operations.hpp"
#include "tests/unit/allocations.hpp"
#include "tests/unit/worker_harness.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

/// How often each stretch of the way calls operator new for a bundle of `transactions`.
struct stretches {
  std::uint64_t draw, build, admit, seal, receive, payload, walk;
  friend bool operator==(const stretches&, const stretches&) = default;
};

sample_bundle draw_and_build(worker_harness& w, client::workload& load, std::uint64_t sequence,
                             std::size_t transactions, stretches& count) {
  std::vector<planned_transaction> plan;
  count.draw = allocations_of([&] {
    plan.reserve(transactions);
    for (std::size_t i = 0; i < transactions; ++i) plan.push_back(load.next());
  });
  sample_bundle out;
  count.build = allocations_of([&] {
    auto built = build_bundle(
        {client_id{0}, bundle_sequence{sequence}, validator_id{0}, round_number{1000}, 512}, plan);
    out.id = crypto::hash(crypto::tags::bundle, built.body());
    static const crypto::fake_signer signer("c0");
    out.frame = built.finish(signer.sign(crypto::bundle_statement(w.members->chain, out.id)));
  });
  return out;
}

stretches measure(worker_harness& w, worker_harness& peer, client::workload& load,
                  std::uint64_t sequence, std::size_t transactions) {
  stretches count{};
  const auto bundle = draw_and_build(w, load, sequence, transactions, count);
  count.admit = allocations_of([&] { w.admit(bundle, 0); });
  worker::effects sealed;
  count.seal = allocations_of([&] { sealed = w.advance(std::chrono::seconds{1}); });
  const wire<schema::WorkerMessage> frame(sealed.store.at(0).frame);
  worker::effects stored;
  count.receive = allocations_of([&] {
    peer.receive(0, frame);
    stored = peer.work();
  });
  peer.durable(stored);
  const auto commit = peer.commit(sequence, sealed.store[0]);
  wire<schema::Payload> payload;
  count.payload = allocations_of([&] {
    const auto fx = peer.step(worker::sub_dag_sequenced{commit});
    const std::vector<byte_span> bundles{fx.payload.at(0).operations->of(0)};
    payload = encode_payload(commit.index, sealed.store[0].id, bundles);
  });
  std::size_t seen = 0;
  count.walk = allocations_of([&] {
    const auto view = decode(payload);
    operation_reader reader(view->bundles.at(0));
    while (reader.next()) ++seen;
  });
  CHECK(seen == transactions);
  return count;
}

}  // namespace

TEST_SUITE("worker allocations") {
  TEST_CASE("nothing is allocated for a transaction from client to executors") {
    local_parameters local;
    local.batch_bytes = 2 << 20;  // sealed by time, whatever the size of the bundle
    worker_harness w(0, local), peer(1, local);
    client::settings with;
    client::workload load(w.members->clients[0], 4000, with);
    measure(w, peer, load, 1, 1000);  // buffers that stay grow to their size
    const auto few = measure(w, peer, load, 2, 20);
    const auto many = measure(w, peer, load, 3, 1000);
    CHECK(few.draw == 1);
    CHECK(many.draw == 1);
    CHECK(few.build == many.build);
    CHECK(few.admit == many.admit);
    CHECK(few.seal == many.seal);
    CHECK(few.receive == many.receive);
    CHECK(few.payload == many.payload);
    CHECK(few.walk == many.walk);
    MESSAGE("operator new for a bundle: build ", many.build, ", admit ", many.admit, ", seal ",
            many.seal, ", receive ", many.receive, ", payload ", many.payload);
  }

  TEST_CASE("the count sees an allocation") {
    CHECK(allocations_of([] { std::vector<int> x(100); }) == 1);
    CHECK(allocations_of([] {
            std::vector<planned_transaction> grows;
            for (int i = 0; i < 100; ++i) grows.emplace_back();
          }) > 3);
  }
}
