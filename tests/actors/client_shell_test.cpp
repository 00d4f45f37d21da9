// Clients and workers together: what a client gets receipts for was applied exactly once.
#include <doctest/doctest.h>

#include "actors/executor/applications/smallbank.hpp"
#include "tests/actors/worker_world.hpp"

using namespace flamingo;
using namespace flamingo::tests;
using namespace std::chrono_literals;

namespace {

client::settings small_load(std::uint64_t rate, std::chrono::seconds time) {
  client::settings x;
  x.rate = rate;
  x.run_for = time;
  x.transaction_bytes = 64;
  x.transactions_per_bundle = 50;
  return x;
}

bool each_once(const worker_world& w) {
  for (const auto& [id, times] : w.applied)
    if (times != 1) return false;
  return true;
}

planned_transaction deposit(std::uint64_t account, std::int64_t cents) {
  namespace smallbank = executor::smallbank;
  planned_transaction x;
  x.account = account_id{account};
  const auto bytes =
      smallbank::encode({smallbank::procedure::deposit_checking, {}, cents},
                        std::span(x.operation).first<smallbank::max_encoded_bytes>());
  x.size = static_cast<std::uint8_t>(bytes.size());
  return x;
}

}  // namespace

TEST_SUITE("client shell") {
  TEST_CASE("a load comes back with receipts, all of it, each bundle applied once") {
    worker_world w;
    w.boot_all();
    for (unsigned c = 0; c < 4; ++c) w.boot_client(c, small_load(1000, 2s));
    w.live(2500ms);
    for (unsigned c = 0; c < 4; ++c) {
      const auto x = w.summary_of(c);
      CHECK(x.offered == 2000);
      CHECK(x.completed >= 1999);
      CHECK(x.completed == x.sent);
      CHECK(x.admitted == x.sent);
      CHECK(x.results[static_cast<std::size_t>(result_code::applied)] == x.completed);
      CHECK(x.outstanding == 0);
      CHECK(x.lost + x.duplicated + x.relayed + x.resent + x.forged == 0);
      CHECK(x.latency.count() == x.completed);
      CHECK(x.latency.at_per_mille(500) < 200ms);
      CHECK(x.finished);
      CHECK(w.endings.at(c).counts.completed == x.completed);
    }
    CHECK(each_once(w));
  }

  TEST_CASE("the clients of a validator that is cut off are served by others") {
    worker_world w;
    w.boot_all();
    w.isolated.insert(1);
    w.boot_client(1, small_load(200, 5s));  // its assignee is validator 1
    w.live(8s);
    const auto x = w.summary_of(1);
    CHECK(x.completed == x.sent);
    CHECK(x.completed >= 999);
    CHECK(x.relayed > 0);
    CHECK(x.latency.at_per_mille(300) < 200ms);  // once it is known to be silent
    CHECK(each_once(w));
  }

  TEST_CASE("a client that starts again with stale sequences loses and repeats nothing") {
    worker_world w;
    w.boot_all();
    w.boot_client(0, small_load(500, 10s));
    w.live(700ms);
    // Its process dies with bundles on their way, and another one begins where windows stand.
    caf::anon_send_exit(w.clients[0], caf::exit_reason::kill);
    w.run();
    auto load = small_load(500, 1s);
    load.seed = 2;
    w.boot_client(0, load);
    w.live(4s);
    const auto x = w.summary_of(0);
    CHECK(x.completed == x.sent);
    CHECK(x.completed >= 499);
    CHECK(x.lost == 0);
    CHECK(each_once(w));
  }

  TEST_CASE("a single transaction comes back with its commit and its result") {
    worker_world w;
    w.boot_all();
    client::settings one;
    one.single = deposit(3000, 500);
    one.transaction_bytes = 0;
    w.boot_client(3, one);
    w.live(200ms);
    REQUIRE(w.endings.contains(3));
    const auto& x = w.endings.at(3);
    CHECK(x.committed);
    CHECK(x.index == commit_index{1});
    CHECK(x.code == result_code::applied);
    CHECK(x.refusal.empty());
  }

  TEST_CASE("a single transaction that nobody may make says why") {
    worker_world w;
    w.boot_all();
    client::settings one;
    one.single = deposit(5, 500);  // client 0's account
    w.boot_client(3, one);
    w.live(200ms);
    REQUIRE(w.endings.contains(3));
    CHECK_FALSE(w.endings.at(3).committed);
    CHECK(w.endings.at(3).refusal == to_string(bundle_fault::foreign_account));
  }

  TEST_CASE("a stopped network ends a single transaction within its time-out") {
    worker_world w;
    client::settings one;
    one.single = deposit(3000, 500);
    one.give_up = 5s;
    w.boot_client(3, one);
    w.live(4900ms);
    CHECK_FALSE(w.endings.contains(3));
    w.live(200ms);
    REQUIRE(w.endings.contains(3));
    CHECK_FALSE(w.endings.at(3).committed);
  }

  TEST_CASE("receipts of one validator alone convince nobody") {
    worker_world w;
    w.boot_all();
    auto load = small_load(100, 1s);
    w.boot_client(0, load);
    w.live(50ms);
    for (const unsigned silent : {1u, 2u, 3u}) {
      // Their answers to clients are lost, while batches still flow.
      caf::anon_send(w.clients[0], atom::link_down_v, worker_world::v(silent), client_link{});
    }
    // A stranger's receipts for everything outstanding, with a signature that is not validator 3's.
    receipts forged{worker_world::v(3), round_number{5}, {}};
    for (std::uint64_t s = 1; s < 20; ++s)
      forged.list.push_back(
          {client_id{0}, bundle_sequence{s}, digest{}, commit_index{1}, digest{}, {}});
    const signed_bytes parts{encode_receipts(forged), signature{}};
    const auto before = w.summary_of(0);
    caf::anon_send(w.clients[0], worker_world::v(3),
                   encode(client_message{signed_receipts{parts}}));
    w.run();
    const auto after = w.summary_of(0);
    CHECK(after.forged == before.forged + 1);
    CHECK(after.completed == before.completed);
  }

  TEST_CASE("a summary survives its way out of the client") {
    client::summary x;
    x.client = client_id{3};
    x.offered = 10;
    x.results[1] = 7;
    x.latency.add(std::chrono::microseconds(1500), 4);
    x.sent_latency.add(std::chrono::microseconds(15));
    x.newest_commit = commit_index{9};
    x.finished = true;
    x.warning = "late";
    CHECK(client::decode(client::encode(x)) == x);
  }
}
