// A validator that is behind the others meets headers whose links nobody else looked at any more:
// what its certificate aggregator calls complete, its commit rule must be able to place.
#include <doctest/doctest.h>

#include "actors/committer/leaders/round_robin.hpp"
#include "actors/committer/tusk.hpp"
#include "tests/unit/certificate_aggregator_bench.hpp"

using namespace flamingo;
using namespace flamingo::testing;

namespace {

/// An aggregator with the commit rule behind it.
struct laggard : aggregator_bench {
  static constexpr std::uint64_t gc_depth = 4;
  committer::tusk rule{{4, 2, gc_depth}, {}, {}};
  committer::round_robin_leaders leaders{4};
  std::vector<dag_position> output;

  /// Learns a certificate, and tells the rule of all that it completes.
  void take(const header& x) { feed(learn(x)); }
  void feed(const aggregator::effects& x) {
    for (const auto& c : x.complete)
      CHECK(rule.add({c.hdr.id, c.hdr.position(), c.hdr.parents, c.hdr.weak_links}) ==
            committer::tusk::taken::added);
  }
  void commit() {
    for (const auto& x : rule.commit(leaders))
      for (const auto& y : x.output) output.push_back(y.position);
    feed(step(aggregator::floor_raised{rule.floor()}));
  }
};

}  // namespace

TEST_SUITE("dag laggard") {
  TEST_CASE(
      "links that were below the voters' floors wait for the laggard's floor, and harm nobody") {
    laggard b;
    // Validator 3 says nothing before round 8.
    for (unsigned a : {0, 1, 2}) b.take(b.full(at(a, 1)));
    for (std::uint64_t round = 2; round <= 7; ++round)
      for (unsigned a : {0, 1, 2}) b.take(header_at(at(a, round), {0, 1, 2}));
    // The voters had committed an anchor of round 7 already.
    auto liar = header_at(at(3, 8), {0, 1, 2});
    liar.weak_links = {{at(3, 2), id_of(at(0, 7))}, {at(0, 3), id_of(at(1, 3))}};
    b.take(liar);
    for (unsigned a : {0, 1, 2}) b.take(header_at(at(a, 8), {0, 1, 2}));
    for (unsigned a : {0, 1, 2, 3}) b.take(header_at(at(a, 9), {0, 1, 2, 3}));
    CHECK(b.core->waiting() == 5);
    b.commit();
    CHECK(b.rule.floor() >= r(3));
    CHECK(b.core->waiting() == 0);
    for (std::uint64_t round = 10; round <= 14; ++round)
      for (unsigned a : {0, 1, 2, 3}) b.take(header_at(at(a, round), {0, 1, 2, 3}));
    b.commit();
    CHECK(std::count(b.output.begin(), b.output.end(), at(3, 8)) == 1);
  }

  TEST_CASE("parents that were at the voters' floor wait for the laggard's floor, too") {
    laggard b;
    for (unsigned a : {0, 1, 2}) b.take(b.full(at(a, 1)));
    for (std::uint64_t round = 2; round <= 9; ++round)
      for (unsigned a : {0, 1, 2}) b.take(header_at(at(a, round), {0, 1, 2}));
    auto liar = header_at(at(3, 4), {0, 1, 2});
    liar.parents = {id_of(at(0, 1)), id_of(at(0, 2)), id_of(at(1, 5))};
    b.take(liar);
    CHECK(b.core->waiting() == 1);
    b.commit();
    CHECK(b.rule.floor() >= r(3));
    CHECK(b.core->waiting() == 0);
  }
}
