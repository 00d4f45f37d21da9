// actors/client/workload: what SmallBank clients do.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "actors/client/workload.hpp"
#include "actors/executor/applications/smallbank.hpp"
#include "tests/unit/bundle_samples.hpp"

using namespace flamingo;
using namespace flamingo::client;
using flamingo::tests::sample_committee;

TEST_SUITE("client workload") {
  namespace smallbank = executor::smallbank;

  TEST_CASE("the six procedures come in the paper's mix, on own accounts, to anybody's") {
    const auto members = sample_committee();
    settings with;
    workload load(members.clients[1], 4000, with);
    std::map<smallbank::procedure, int> count;
    std::set<std::uint64_t> acting, other;
    for (int i = 0; i < 100'000; ++i) {
      const auto x = load.next();
      const auto operation = smallbank::decode(x.bytes());
      REQUIRE(operation);
      ++count[operation->what];
      acting.insert(x.account.value);
      if (!members.clients[1].owns(x.account)) FAIL("a foreign account acts");
      if (smallbank::has_other(operation->what)) {
        other.insert(operation->to.value);
        if (operation->to == x.account || operation->to.value >= 4000) FAIL("a bad other account");
      }
      if (operation->what != smallbank::procedure::transact_savings)
        CHECK(operation->amount_cents >= 0);
    }
    CHECK(acting.size() == 1000);
    CHECK(other.size() == 4000);
    for (std::size_t i = 0; i < smallbank::procedure_count; ++i) {
      const double percent = count[static_cast<smallbank::procedure>(i)] / 1000.0;
      CHECK(percent > smallbank::mix[i] - 1);
      CHECK(percent < smallbank::mix[i] + 1);
    }
  }

  TEST_CASE("hot accounts take their share") {
    const auto members = sample_committee();
    settings with;
    with.hot_per_mille = 900;
    with.hot_accounts = 10;
    workload load(members.clients[1], 4000, with);
    int hot = 0;
    for (int i = 0; i < 10'000; ++i) hot += load.next().account.value < 1010 ? 1 : 0;
    CHECK(hot > 8900);
    CHECK(hot < 9150);
  }

  TEST_CASE("one seed gives one load, another another") {
    const auto members = sample_committee();
    settings one, two;
    two.seed = 2;
    workload a(members.clients[0], 4000, one), b(members.clients[0], 4000, one),
        c(members.clients[0], 4000, two);
    int differ = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto x = a.next(), y = b.next(), z = c.next();
      CHECK(x.account == y.account);
      CHECK(x.operation == y.operation);
      differ += x.account != z.account ? 1 : 0;
    }
    CHECK(differ > 900);
  }
}
