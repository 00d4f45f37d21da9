// Batches that the worker is about to give up: no vote relies on one any more.
#include <doctest/doctest.h>

#include "tests/unit/primary_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;

namespace {

/// Rounds 1 to 4 are full.
struct withdrawing : primary_bench {
  withdrawing() { full_rounds(4); }

  withdrawal_noted withdraw(std::vector<unsigned> names) {
    batch_withdrawal x{7, worker_id{3}, {}};
    for (const unsigned name : names) x.batches.push_back(batch_id(name));
    const auto fx = step(primary::batches_withdrawn{x});
    REQUIRE(fx.noted);
    CHECK(fx.noted->worker == worker_id{3});
    CHECK(fx.noted->what.number == 7);
    return fx.noted->what;
  }
  header listing(unsigned author, std::uint64_t round, std::vector<unsigned> names) const {
    auto h = full(at(author, round));
    for (const unsigned name : names) h.payload.push_back(entry(name));
    return h;
  }
};

}  // namespace

TEST_SUITE("primary withdrawing") {
  TEST_CASE(
      "a header that lists a withdrawn batch gets no vote until the worker tells of it anew") {
    withdrawing b;
    b.available(1, 1);
    CHECK(b.withdraw({1, 2}).kept.empty());
    const auto x = b.receive(b.listing(1, 5, {1}));
    CHECK(x.votes.empty());
    CHECK(x.ask == std::vector{primary::asked_batch{worker_id{0}, b.batch_id(1)}});
    CHECK(b.available(1, 1).votes.size() == 1);
  }

  TEST_CASE("the answer names the highest round of a vote, also of one before a restart") {
    withdrawing b;
    CHECK(b.withdraw({1}).until == r(0));
    b.receive(b.listing(1, 5, {}));
    b.receive(b.listing(2, 3, {}));
    CHECK(b.withdraw({1}).until == r(5));
    primary::restored stored;
    stored.votes = {{at(2, 3), {}}, {at(3, 6), {}}};
    b.boot(stored);
    CHECK(b.withdraw({1}).until == r(6));
  }

  TEST_CASE("the answer is not below the floor: votes down there are forgotten, not undone") {
    withdrawing b;
    b.receive(b.listing(1, 3, {}));
    b.commit(54, 4);
    CHECK(b.withdraw({1}).until == r(4));
  }

  TEST_CASE("batches that a waiting header lists are kept, and it gets its vote") {
    withdrawing b;
    for (unsigned i = 1; i <= 3; ++i) b.available(1, i);
    b.receive(b.listing(1, 5, {1, 2, 4}));
    CHECK(b.withdraw({1, 2, 3, 4}).kept ==
          std::vector{b.batch_id(1), b.batch_id(2), b.batch_id(4)});
    CHECK(b.available(1, 4).votes.size() == 1);
  }

  TEST_CASE("the author of a header that comes again and still waits is asked ever more rarely") {
    withdrawing b;
    b.available(1, 1);
    const auto h = b.listing(1, 5, {1, 2, 3});
    b.receive(h);
    std::vector<unsigned> asked;
    for (unsigned i = 1; i <= 20; ++i) {
      const auto x = b.step(primary::header_repeated{h});
      if (x.ask.empty()) continue;
      asked.push_back(i);
      CHECK(x.ask == std::vector{primary::asked_batch{worker_id{0}, b.batch_id(2), v(1)},
                                 primary::asked_batch{worker_id{0}, b.batch_id(3), v(1)}});
    }
    CHECK(asked == std::vector{2u, 4u, 8u, 16u});
    // Another header of that round is not the one that waits.
    auto other = h;
    other.id = id_of(at(1, 5), 1);
    for (unsigned i = 0; i < 40; ++i) CHECK(b.step(primary::header_repeated{other}).ask.empty());
  }
}
