// Outcomes on their way to clients, and the recent ones.
#include <doctest/doctest.h>

#include "actors/worker/receipt_book.hpp"

using namespace flamingo;
using namespace flamingo::worker;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr time_point at(milliseconds x) {
  return time_point{seconds{1000} + x};
}
digest id_of(unsigned x) {
  digest out;
  out.bytes[0] = static_cast<byte>(x);
  out.bytes[1] = static_cast<byte>(x >> 8);
  return out;
}

}  // namespace

TEST_SUITE("worker receipts") {
  const client_id c{1};
  outcome_changes changes;  // for who does not look at them

  outcome outcome_of(std::uint64_t sequence, std::uint64_t index) {
    return {bundle_sequence{sequence},
            id_of(static_cast<unsigned>(sequence)),
            commit_index{index},
            validator_id{0},
            {1, 2}};
  }
  std::vector<receipt_order> ready(receipt_book & x, milliseconds now) {
    std::vector<receipt_order> out;
    x.take_ready(at(now), round_number{7}, out);
    return out;
  }

  TEST_CASE("the receipts of a client and commit leave together once all of them are there") {
    receipt_book x({100, milliseconds{10}});
    x.expect(c, commit_index{5}, 2);
    x.expect(c, commit_index{6}, 1);  // of a later commit: not waited for
    x.add(c, outcome_of(1, 5), at(milliseconds{0}), changes);
    CHECK(ready(x, milliseconds{1}).empty());
    x.add(c, outcome_of(2, 5), at(milliseconds{1}), changes);
    const auto out = ready(x, milliseconds{1});
    REQUIRE(out.size() == 1);
    CHECK(out[0].client == c);
    CHECK(out[0].anchor_round == round_number{7});
    CHECK(out[0].list == std::vector{outcome_of(1, 5), outcome_of(2, 5)});
    CHECK_FALSE(x.next_deadline());
  }

  TEST_CASE("a late outcome holds the others back for a moment only") {
    receipt_book x({100, milliseconds{10}});
    x.expect(c, commit_index{5}, 2);
    x.add(c, outcome_of(1, 5), at(milliseconds{0}), changes);
    CHECK(x.next_deadline() == at(milliseconds{10}));
    CHECK(ready(x, milliseconds{9}).empty());
    CHECK(ready(x, milliseconds{10}).size() == 1);
  }

  TEST_CASE("who asks again gets a recent receipt, and nothing for what is not known") {
    receipt_book x({2, milliseconds{10}});
    for (unsigned i = 1; i <= 3; ++i) x.add(c, outcome_of(i, 5), at(milliseconds{0}), changes);
    CHECK(ready(x, milliseconds{0}).size() == 1);
    CHECK_FALSE(x.ask(c, bundle_sequence{1}, at(milliseconds{1})));  // only two are kept
    CHECK_FALSE(x.ask(client_id{2}, bundle_sequence{3}, at(milliseconds{1})));
    CHECK(x.ask(c, bundle_sequence{3}, at(milliseconds{1})));
    CHECK(x.ask(c, bundle_sequence{3}, at(milliseconds{1})));
    const auto out = ready(x, milliseconds{1});
    REQUIRE(out.size() == 1);
    CHECK(out[0].list == std::vector{outcome_of(3, 5)});
  }

  TEST_CASE("what is kept and what no longer is said, each once") {
    receipt_book x({2, milliseconds{10}});
    outcome_changes said;
    using list = std::vector<std::pair<client_id, bundle_sequence>>;
    for (const unsigned i : {1u, 2u, 2u, 3u}) x.add(c, outcome_of(i, 5), at(milliseconds{0}), said);
    CHECK(said.kept ==
          list{{c, bundle_sequence{1}}, {c, bundle_sequence{2}}, {c, bundle_sequence{3}}});
    CHECK(said.forgotten == list{{c, bundle_sequence{1}}});
    CHECK(!x.find(c, bundle_sequence{1}));
    REQUIRE(x.find(c, bundle_sequence{3}));
    CHECK(*x.find(c, bundle_sequence{3}) == outcome_of(3, 5));
  }

  TEST_CASE("restored outcomes are answered, count as recent, and beyond the bound they go") {
    receipt_book x({2, milliseconds{10}});
    for (unsigned i = 1; i <= 3; ++i) x.restore(c, outcome_of(i, 5));
    CHECK(ready(x, milliseconds{0}).empty());
    CHECK(x.ask(c, bundle_sequence{1}, at(milliseconds{0})));
    CHECK(ready(x, milliseconds{0})[0].list == std::vector{outcome_of(1, 5)});
    outcome_changes said;
    x.add(c, outcome_of(2, 5), at(milliseconds{1}), said);  // executed again
    CHECK(said.kept.empty());
    x.add(c, outcome_of(4, 6), at(milliseconds{1}), said);
    CHECK(said.kept.size() == 1);
    CHECK(said.forgotten.size() == 2);
    CHECK(!x.find(c, bundle_sequence{2}));
    CHECK(x.find(c, bundle_sequence{3}));
  }

  TEST_CASE("what is executed again after a restart is not told again") {
    receipt_book x({100, milliseconds{10}});
    x.add(c, outcome_of(1, 5), at(milliseconds{0}), changes);
    CHECK(ready(x, milliseconds{0}).size() == 1);
    x.add(c, outcome_of(1, 5), at(milliseconds{1}), changes);
    CHECK(ready(x, milliseconds{20}).empty());
  }

  TEST_CASE("no message of receipts holds more result codes than links carry") {
    receipt_book x({10'000, milliseconds{10}});
    for (unsigned i = 1; i <= 200; ++i) {
      auto large = outcome_of(i, 5);
      large.results.assign(10'000, 0);
      x.add(c, large, at(milliseconds{0}), changes);
    }
    std::size_t receipts = 0;
    const auto out = ready(x, milliseconds{0});
    for (const auto& order : out) {
      std::size_t codes = 0;
      for (const auto& one : order.list) codes += one.results.size();
      CHECK(codes <= 512 << 10);
      receipts += order.list.size();
    }
    CHECK(receipts == 200);
    CHECK(out.size() == 4);
  }

  TEST_CASE("no message holds more receipts than one may") {
    receipt_book x({10'000, milliseconds{10}});
    for (unsigned i = 1; i <= max_receipts_per_message + 5; ++i)
      x.add(c, outcome_of(i, 5), at(milliseconds{0}), changes);
    const auto out = ready(x, milliseconds{0});
    REQUIRE(out.size() == 2);
    CHECK(out[0].list.size() == max_receipts_per_message);
    CHECK(out[1].list.size() == 5);
  }
}
