// actors/client: when bundles leave, to whom, and when one is done.
#include <doctest/doctest.h>

#include <set>

#include "tests/unit/client_harness.hpp"

using namespace flamingo;
using namespace flamingo::client;
using namespace flamingo::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

settings load(std::uint64_t rate, std::uint32_t per_bundle, std::uint32_t window = 16) {
  settings x;
  x.rate = rate;
  x.transactions_per_bundle = per_bundle;
  x.outstanding_bundles = window;
  return x;
}

std::vector<unsigned> targets(const effects& x) {
  std::vector<unsigned> out;
  for (const auto& send : x.bundles) out.push_back(send.to.value);
  return out;
}

}  // namespace

TEST_SUITE("client core") {
  TEST_CASE("the first sequence is the highest low that f+1 validators reach") {
    client_harness c(load(1000, 10));
    for (unsigned i = 0; i < 4; ++i) c.step(link_up{v(i)});
    c.welcome_from(0, 900);  // a liar's
    c.welcome_from(1, 3);
    CHECK(c.advance(milliseconds{100}).builds.empty());  // more are waited for
    c.welcome_from(2, 5);
    const auto fx = c.advance(milliseconds{10});
    REQUIRE(fx.builds.size() == 1);
    CHECK(fx.builds[0].sequence == bundle_sequence{5});
    CHECK(fx.builds[0].expires == round_number{5007});
  }

  TEST_CASE("f+1 welcomes are enough when no more come") {
    client_harness c(load(1000, 10));
    c.welcome_from(0, 4);
    CHECK(c.advance(seconds{5}).builds.empty());
    c.welcome_from(1, 3);
    c.run(milliseconds{999});
    CHECK(c.counts().offered == 0);
    c.run(milliseconds{101});
    CHECK(c.counts().offered == 100);
    CHECK(c.ids.begin()->first == 3);
  }

  TEST_CASE("transactions are due by the clock and bundles are full under load") {
    client_harness c(load(10'000, 50, 1000));
    c.begin();
    std::size_t transactions = 0;
    for (const auto& fx : c.run(seconds{1}))
      for (const auto& order : fx.builds) {
        CHECK(order.transactions->size() == 50);
        CHECK(order.assignee == v(0));
        transactions += order.transactions->size();
      }
    CHECK(transactions == 10'000);
    CHECK(c.counts().offered == 10'000);
    CHECK(c.counts().sent == 10'000);
  }

  TEST_CASE("a bundle leaves when its first transaction has waited long enough") {
    client_harness c(load(100, 500));  // one each 10 ms
    c.begin();
    const auto first = c.run(milliseconds{29});
    for (const auto& fx : first) CHECK(fx.builds.empty());
    const auto fx = c.advance(milliseconds{1});
    REQUIRE(fx.builds.size() == 1);
    CHECK(fx.builds[0].transactions->size() == 3);
  }

  TEST_CASE("built bundles are bounded while due transactions only count") {
    client_harness c(load(100'000, 100, 8));
    c.begin();
    c.run(seconds{1});
    CHECK(c.counts().bundles == 8);
    CHECK(c.counts().offered == 100'000);
    CHECK(c.counts().waiting == 100'000 - 800);
    c.receive(0, 1);
    const auto fx = c.receive(1, 1);
    CHECK(fx.builds.size() == 1);
    CHECK(c.counts().completed == 100);
  }

  TEST_CASE("latency counts from the time at which a transaction was due") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});  // transactions due after 1..10 ms
    REQUIRE(c.counts().bundles == 1);
    c.run(milliseconds{90});
    c.receive(0, 1);
    c.receive(1, 1);
    CHECK(c.counts().latency.max() == milliseconds{99});
    CHECK(c.counts().latency.count() == 10);
    CHECK(c.counts().sent_latency.max() == milliseconds{90});
    // The next bundle waited in the client: that counts too.
    c.receive(0, 2);
    c.receive(1, 2);
    CHECK(c.counts().latency.max() == milliseconds{99});
    CHECK(c.counts().latency.count() == 20);
  }

  TEST_CASE("a bundle is done by f+1 equal receipts of distinct validators") {
    client_harness c(load(1000, 10));
    c.begin();
    c.run(milliseconds{10});
    c.receive(3, 1);
    c.receive(3, 1);
    CHECK(c.counts().receipts == 0);
    auto other = c.receipt_of(1, c.ids[1][0]);
    other.results_digest = id_of(78);
    c.receive(2, other);  // a lie
    CHECK(c.counts().receipts == 0);
    c.receive(1, 1);
    CHECK(c.counts().receipts == 1);
    CHECK(c.counts().completed == 10);
    CHECK(c.counts().newest_commit == commit_index{5});
  }

  TEST_CASE("receipts are asked for by need: not twice of one validator, not when it is done") {
    client_harness c(load(1000, 10));
    c.begin();
    c.run(milliseconds{10});
    const auto x = c.receipt_of(1, c.ids[1][0]);
    CHECK(c.core().needs(v(0), x));
    c.receive(0, 1);
    CHECK_FALSE(c.core().needs(v(0), x));
    CHECK(c.core().needs(v(1), x));
    c.receive(1, 1);
    CHECK_FALSE(c.core().needs(v(2), x));
    auto elsewhere = x;
    elsewhere.index = commit_index{6};
    CHECK(c.core().needs(v(2), elsewhere));
    CHECK_FALSE(c.core().needs(v(2), c.receipt_of(9, id_of(1))));
    auto foreign = x;
    foreign.client = client_id{1};
    CHECK_FALSE(c.core().needs(v(2), foreign));
  }

  TEST_CASE("result codes are counted from the carrier, whenever they come") {
    client_harness c(load(1000, 3));
    c.begin();
    c.run(milliseconds{6});
    c.receive(0, c.receipt_of(1, c.ids[1][0], 5, {0, 1, 0}));
    c.receive(1, 1);
    CHECK(c.counts().results[0] == 2);
    CHECK(c.counts().results[1] == 1);
    c.receive(1, 2);
    c.receive(2, 2);
    CHECK(c.counts().results[0] == 2);
    c.receive(0, c.receipt_of(2, c.ids[2][0], 5, {0, 0, 0}));
    c.receive(0, c.receipt_of(2, c.ids[2][0], 5, {0, 0, 0}));
    CHECK(c.counts().results[0] == 5);
  }

  TEST_CASE("without receipts a bundle goes to one further validator at a time") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    std::vector<unsigned> sent;
    for (const auto& fx : c.run(milliseconds{8500}))
      for (const auto to : targets(fx)) sent.push_back(to);
    // Nobody answers anything: those that were silent before are passed over.
    CHECK(sent == std::vector<unsigned>{1, 2, 3});
    CHECK(c.counts().relayed == 3);
    CHECK(c.counts().bundles == 1);
  }

  TEST_CASE("an assignee that only says busy is gone around") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    std::set<unsigned> sent;
    int busy = 0;
    for (int i = 0; i < 3000; ++i)
      for (const auto to : targets(c.advance(milliseconds{1}))) {
        sent.insert(to);
        if (to == 0 && ++busy > 0)
          c.answer(0, 1, admission::busy{milliseconds{100}, "ingress_bytes"});
      }
    c.answer(0, 1, admission::busy{milliseconds{100}, "ingress_bytes"});
    CHECK(sent.contains(1));
    CHECK(c.counts().busy >= 10);
  }

  TEST_CASE("busy is obeyed, and ever longer") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    c.answer(0, 1, admission::busy{milliseconds{100}, "max_lag"});
    CHECK(c.advance(milliseconds{99}).bundles.empty());
    CHECK(targets(c.advance(milliseconds{1})) == std::vector<unsigned>{0});
    c.answer(0, 1, admission::busy{milliseconds{100}, "max_lag"});
    CHECK(c.advance(milliseconds{199}).bundles.empty());
    CHECK(targets(c.advance(milliseconds{1})) == std::vector<unsigned>{0});
    CHECK(c.counts().busy == 20);
    CHECK(c.counts().resent == 2);
  }

  TEST_CASE(
      "while validators are busy fewer bundles are on their way, and more again with receipts") {
    client_harness c(load(100'000, 10, 8));
    c.begin();
    c.run(milliseconds{10});
    REQUIRE(c.counts().bundles == 8);
    const auto busy = [&](std::uint64_t sequence) {
      c.answer(0, sequence, admission::busy{milliseconds{100}, "max_admission_delay_ms"});
    };
    const auto serve = [&](std::uint64_t first, std::uint64_t last) {
      for (; first <= last; ++first) {
        c.receive(0, first);
        c.receive(1, first);
      }
      return c.counts().bundles;
    };
    for (std::uint64_t i = 1; i <= 8; ++i)
      busy(i);  // all left before the first answer: 4 from now on
    CHECK(serve(1, 3) == 8);
    c.run(milliseconds{100});
    for (std::uint64_t i = 4; i <= 8; ++i) busy(i);  // sent again: 2, never fewer
    c.run(milliseconds{200});
    for (std::uint64_t i = 4; i <= 8; ++i) busy(i);
    CHECK(serve(4, 5) == 8);
    CHECK(serve(6, 6) == 9);
    serve(8, 200);
    CHECK(c.counts().outstanding == 80);
  }

  TEST_CASE("a redirect is obeyed once for each validator that gives it, under the same sequence") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    auto fx = c.answer(0, 1, admission::redirect{v(2)});
    REQUIRE(fx.builds.size() == 1);
    CHECK(fx.builds[0].sequence == bundle_sequence{1});
    CHECK(fx.builds[0].assignee == v(2));
    CHECK(targets(fx) == std::vector<unsigned>{2});
    fx = c.answer(2, 1, admission::redirect{v(0)});
    CHECK(targets(fx) == std::vector<unsigned>{0});
    CHECK(c.answer(0, 1, admission::redirect{v(2)}).builds.empty());
    CHECK(c.answer(1, 1, admission::redirect{v(3)}).builds.empty());  // not its to say
    CHECK(c.answer(2, 1, admission::redirect{validator_id{9}}).builds.empty());
    CHECK(c.counts().redirected == 2);
    // Any of the builds may be the one that commits.
    c.receive(0, c.receipt_of(1, c.ids[1][0]));
    c.receive(1, c.receipt_of(1, c.ids[1][0]));
    CHECK(c.counts().receipts == 1);
    CHECK(c.counts().resequenced == 0);
  }

  TEST_CASE("a sequence taken by another bundle sends the transactions again under a new one") {
    client_harness c(load(1000, 10, 2));
    c.begin();
    c.run(milliseconds{20});
    REQUIRE(c.counts().bundles == 2);
    const auto stranger = id_of(12345);
    CHECK(c.receive(0, c.receipt_of(1, stranger)).builds.empty());
    const auto fx = c.receive(1, c.receipt_of(1, stranger));
    REQUIRE(fx.builds.size() == 1);
    CHECK(fx.builds[0].sequence == bundle_sequence{3});
    CHECK(fx.builds[0].transactions->size() == 10);
    CHECK(fx.builds[0].transactions->front().due == 0);
    CHECK(c.counts().resequenced == 1);
    CHECK(c.counts().completed == 0);
    c.receive(0, 3);
    c.receive(1, 3);
    CHECK(c.counts().completed == 10);
  }

  TEST_CASE("one validator's word that a sequence is taken is only asked after") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    const auto fx = c.answer(0, 1, admission::duplicate{});
    CHECK(fx.builds.empty());
    CHECK(fx.queries.size() == 4);
    CHECK(fx.queries[0].second == receipt_query{bundle_sequence{1}});
  }

  TEST_CASE("two commits of one bundle are noticed only when f+1 validators say so") {
    client_harness c(load(1000, 10));
    c.begin();
    c.run(milliseconds{10});
    c.receive(0, 1);
    c.receive(1, 1);
    c.receive(2, c.receipt_of(1, c.ids[1][0], 6));
    CHECK(c.counts().duplicated == 0);
    c.receive(3, c.receipt_of(1, c.ids[1][0], 6));
    CHECK(c.counts().duplicated == 10);
  }

  TEST_CASE("one validator that calls a bundle invalid is gone around, f+1 end it") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    auto fx = c.answer(0, 1, admission::invalid{"no"});
    CHECK(targets(fx) == std::vector<unsigned>{1});
    CHECK(c.counts().invalid == 0);
    fx = c.answer(1, 1, admission::invalid{"no"});
    CHECK(c.counts().invalid == 10);
    CHECK(c.core().refusal() == "no");
    // Its sequence is filled, so that the window can move on.
    REQUIRE(fx.builds.size() >= 1);
    CHECK(fx.builds[0].sequence == bundle_sequence{1});
    CHECK(fx.builds[0].transactions->empty());
  }

  TEST_CASE("what expired while it waited leaves again under its sequence, to a further carrier") {
    auto with = load(1000, 10, 1);
    with.expiry_rounds = 20;
    client_harness c(with);
    c.begin();
    c.run(milliseconds{10});
    // The assignee says nothing, and the log goes on without the bundle.
    CHECK(targets(c.answer(0, 1, admission::duplicate{})).empty());
    for (unsigned i = 0; i < 4; ++i) c.welcome_from(i, 1, 40);
    CHECK(targets(c.answer(1, 1, admission::invalid{"expired"})) == std::vector<unsigned>{1});
    const auto fx = c.answer(2, 1, admission::invalid{"expired"});
    REQUIRE(fx.builds.size() == 1);
    CHECK(fx.builds[0].sequence == bundle_sequence{1});
    CHECK(fx.builds[0].expires == round_number{60});
    CHECK(fx.builds[0].transactions->size() == 10);
    CHECK(targets(fx) == std::vector<unsigned>{2});
    CHECK(c.counts().invalid == 0);
    // Either build may be the one that is committed.
    c.receive(2, c.receipt_of(1, c.ids[1][0]));
    c.receive(3, c.receipt_of(1, c.ids[1][0]));
    CHECK(c.counts().receipts == 1);
  }

  TEST_CASE("one validator's receipt keeps no bundle from the others, f+1 do") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(milliseconds{10});
    c.receive(0, 1);
    std::vector<unsigned> relayed;
    for (const auto& fx : c.run(seconds{3}))
      for (const auto to : targets(fx)) relayed.push_back(to);
    CHECK(relayed == std::vector<unsigned>{1});
    // Another says that it was committed, though otherwise: it was, since one of two is honest.
    c.receive(2, c.receipt_of(1, c.ids[1][0], 6));
    for (const auto& fx : c.run(seconds{10})) CHECK(targets(fx).empty());
  }

  TEST_CASE("a new link gets again what it may have lost") {
    client_harness c(load(1000, 10, 2));
    c.begin();
    c.run(milliseconds{20});
    c.receive(2, 2);
    c.receive(3, c.receipt_of(2, c.ids[2][0], 6));  // f+1 say that it is committed: not sent again
    c.step(link_down{v(0)});
    const auto fx = c.step(link_up{v(0)});
    CHECK(targets(fx) == std::vector<unsigned>{0});
  }

  TEST_CASE("while the assignee is down its bundles go to another one at once") {
    client_harness c(load(1000, 10, 100));
    c.begin();
    c.step(link_down{v(0)});
    std::set<unsigned> sent;
    for (const auto& fx : c.run(milliseconds{50}))
      for (const auto to : targets(fx)) sent.insert(to);
    CHECK(sent == std::set<unsigned>{1});
    c.step(link_up{v(0)});
    CHECK(targets(c.advance(milliseconds{10})) == std::vector<unsigned>{0});
  }

  TEST_CASE("the table changes when f+1 validators say so, and bundles follow it") {
    client_harness c(load(1000, 200, 100));
    c.begin();
    assignment_update update{table_version{1}, {}};
    for (std::uint64_t a = 0; a < 500; ++a) update.moves.push_back({account_id{a}, v(2)});
    c.step(table_told{v(3), update});
    c.step(table_told{v(3), update});
    for (const auto& fx : c.run(milliseconds{100}))
      for (const auto& order : fx.builds) CHECK(order.assignee == v(0));
    c.step(table_told{v(1), update});
    std::map<unsigned, std::size_t> by_assignee;
    for (const auto& fx : c.run(seconds{1}))
      for (const auto& order : fx.builds) {
        by_assignee[order.assignee.value] += order.transactions->size();
        for (const auto& x : *order.transactions)
          CHECK((x.account < account_id{500}) == (order.assignee == v(2)));
      }
    CHECK(by_assignee[0] > 300);
    CHECK(by_assignee[2] > 300);
  }

  TEST_CASE("the newest table that a validator told is its word, and no older one is kept") {
    client_harness c(load(1000, 200, 100));
    c.begin();
    const auto table = [](std::uint64_t version) {
      assignment_update update{table_version{version}, {}};
      for (std::uint64_t a = 0; a < 1000; ++a) update.moves.push_back({account_id{a}, v(2)});
      return update;
    };
    for (const std::uint64_t version : {1, 2, 3}) c.step(table_told{v(3), table(version)});
    for (const std::uint64_t version : {1, 2}) c.step(table_told{v(1), table(version)});
    for (const auto& fx : c.run(milliseconds{300}))
      for (const auto& order : fx.builds) CHECK(order.assignee == v(0));
    c.step(table_told{v(1), table(3)});
    std::size_t followed = 0;
    for (const auto& fx : c.run(milliseconds{300}))
      for (const auto& order : fx.builds) followed += order.assignee == v(2) ? 1 : 0;
    CHECK(followed > 0);
  }

  TEST_CASE("bundles that a table change fills are never larger than a bundle may be") {
    client_harness c(load(1000, 100, 100));
    c.begin();
    assignment_update out{table_version{1}, {}}, back{table_version{2}, {}};
    for (std::uint64_t a = 0; a < 500; ++a) {
      out.moves.push_back({account_id{a}, v(2)});
      back.moves.push_back({account_id{a}, v(0)});
    }
    for (const unsigned from : {1u, 3u}) c.step(table_told{v(from), out});
    // Without a tick until some 150 wait, most of a bundle for each of two assignees.
    c.now += milliseconds{150};
    c.step(link_up{v(1)});
    c.step(table_told{v(1), back});
    std::size_t transactions = 0;
    auto fx = c.step(table_told{v(3), back});
    for (auto& more : c.run(seconds{1}))
      for (auto& order : more.builds) fx.builds.push_back(order);
    for (const auto& order : fx.builds) {
      CHECK(order.transactions->size() <= 100);
      transactions += order.transactions->size();
    }
    CHECK(transactions > 900);
  }

  TEST_CASE("a bundle that is pending for long is warned about") {
    client_harness c(load(1000, 10, 1));
    c.begin();
    c.run(seconds{29});
    CHECK(c.counts().warning.empty());
    c.run(seconds{3});
    CHECK(c.counts().warning.find("bundle 1 of c0 has no receipts after 30 s") == 0);
  }

  TEST_CASE("a single transaction is sent at once and its outcome is told") {
    settings with;
    with.single = planned_transaction{};
    with.single->account = account_id{5};
    client_harness c(with);
    c.begin();
    REQUIRE(c.counts().bundles == 1);
    c.receive(0, c.receipt_of(1, c.ids[1][0], 5, {1}));
    CHECK_FALSE(c.core().single());
    CHECK(c.receive(2, 1).finished);
    REQUIRE(c.core().single());
    CHECK(c.core().single()->index == commit_index{5});
    CHECK(c.core().single()->code == result_code::insufficient);
  }

  TEST_CASE("a single transaction gets ahead of another process that uses the same key") {
    settings with;
    with.single = planned_transaction{};
    with.single->account = account_id{5};
    client_harness c(with);
    c.begin();
    std::uint64_t sequence = 1;
    for (const std::uint64_t next : {3, 7, 15}) {
      c.receive(0, c.receipt_of(sequence, id_of(12345)));
      const auto fx = c.receive(1, c.receipt_of(sequence, id_of(12345)));
      REQUIRE(fx.builds.size() == 1);
      CHECK(fx.builds[0].sequence == bundle_sequence{next});
      sequence = next;
    }
    c.receive(0, c.receipt_of(sequence, c.ids[sequence][0], 5, {0}));
    CHECK(c.receive(2, sequence).finished);
  }
}
