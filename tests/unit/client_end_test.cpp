// actors/client: when a load is over, what is waited for then, and what is told as lost.
#include <doctest/doctest.h>

#include "tests/unit/client_harness.hpp"

using namespace flamingo;
using namespace flamingo::client;
using namespace flamingo::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

settings load(std::uint32_t per_bundle, std::uint64_t rate = 1000) {
  settings x;
  x.rate = rate;
  x.transactions_per_bundle = per_bundle;
  x.run_for = seconds{1};
  return x;
}

}  // namespace

TEST_SUITE("client core") {
  TEST_CASE("a load ends when its time is over and all receipts and result codes are there") {
    client_harness c(load(10));
    c.begin();
    bool finished = false;
    for (int i = 0; i < 1200; ++i) {
      const auto fx = c.advance(milliseconds{1});
      finished |= fx.finished;
      for (const auto& order : fx.builds) {
        const auto sequence = order.sequence.value;
        c.receive(0, c.receipt_of(sequence, c.ids[sequence][0], 5, std::vector<byte>(10, 0)));
        finished |= c.receive(1, sequence).finished;
      }
    }
    CHECK(finished);
    CHECK(c.counts().offered == 1000);
    CHECK(c.counts().completed == 1000);
    CHECK(c.counts().results_not_heard() == 0);
    CHECK_FALSE(c.core().next_deadline());
  }

  TEST_CASE("result codes that have not come when a load ends are asked for and counted") {
    auto with = load(10, 100);
    with.bundle_delay = milliseconds{100};
    client_harness c(with);
    c.begin();
    c.run(seconds{1});
    REQUIRE(c.counts().bundles == 10);
    const std::vector<byte> codes(10, 0);
    for (std::uint64_t i = 1; i <= 9; ++i) {
      c.receive(0, c.receipt_of(i, c.ids[i][0], 5, codes));
      c.receive(1, i);
    }
    // The last one is decided by receipts that tell the digest of the codes only.
    c.receive(1, 10);
    const auto fx = c.receive(2, 10);
    CHECK_FALSE(fx.finished);
    CHECK(fx.queries.size() == 4);
    for (const auto& [to, query] : fx.queries) CHECK(query == receipt_query{bundle_sequence{10}});
    CHECK(c.counts().completed == 100);
    CHECK(c.counts().results_not_heard() == 10);
    CHECK(c.receive(0, c.receipt_of(10, c.ids[10][0], 5, codes)).finished);
    CHECK(c.counts().results[0] == 100);
    CHECK(c.counts().results_not_heard() == 0);
  }

  TEST_CASE("result codes that never come are waited for briefly and told as not heard") {
    client_harness c(load(10));
    c.begin();
    std::size_t queries = 0;
    bool finished = false;
    const auto count = [&](const std::vector<effects>& all) {
      for (const auto& fx : all) {
        queries += fx.queries.size();
        finished |= fx.finished;
      }
    };
    for (int i = 0; i < 1000; ++i)
      for (const auto& order : c.advance(milliseconds{1}).builds) {
        c.receive(1, order.sequence.value);
        count({c.receive(2, order.sequence.value)});
      }
    CHECK(c.counts().completed == 1000);
    CHECK(queries == 64 * 4);  // of the newest bundles, each validator once
    count(c.run(milliseconds{1999}));
    CHECK_FALSE(finished);
    count(c.run(milliseconds{1}));
    CHECK(finished);
    CHECK(queries == 64 * 4);
    CHECK(c.counts().results_not_heard() == 1000);
    CHECK(c.counts().lost == 0);
  }

  TEST_CASE("what was admitted and never receipted is lost when patience ends") {
    auto with = load(10);
    with.outstanding_bundles = 2;
    with.give_up = seconds{5};
    client_harness c(with);
    c.begin();
    c.run(milliseconds{500});
    c.answer(0, 1, admission::admitted{});
    CHECK(c.counts().lost == 0);  // its receipts may still come
    bool finished = false;
    for (const auto& fx : c.run(milliseconds{5400})) finished |= fx.finished;
    CHECK_FALSE(finished);
    for (const auto& fx : c.run(milliseconds{200})) finished |= fx.finished;
    CHECK(finished);
    CHECK(c.counts().lost == 10);
    CHECK(c.counts().outstanding == 20);
    CHECK(c.counts().finished);
  }
}
