// The graph of complete certified headers and causal histories.
#include "actors/dag/graph.hpp"

#include <doctest/doctest.h>

#include "tests/unit/dag_headers.hpp"

using namespace flamingo;
using namespace flamingo::dag;
using namespace flamingo::testing;

namespace {

/// Rounds 1 to 4 of four validators; validator 3's header of round 1 is linked by nobody but itself
/// and, weakly, by validator 0's of round 4.
graph example() {
  graph g(4, 3);
  for (unsigned a : {0, 1, 2, 3}) g.add(header_at(at(a, 1), {0, 1, 2, 3}));
  for (unsigned a : {0, 1, 2}) g.add(header_at(at(a, 2), {0, 1, 2}));
  for (unsigned a : {0, 1, 2}) g.add(header_at(at(a, 3), {0, 1, 2}));
  g.add(header_at(at(0, 4), {0, 1, 2}, {at(3, 1)}));
  g.add(header_at(at(1, 4), {0, 1, 2}));
  return g;
}

}  // namespace

TEST_SUITE("dag graph") {
  TEST_CASE("a set of validators holds what was added, in order, beyond one word too") {
    author_set s(130);
    CHECK(s.empty());
    for (unsigned a : {129, 0, 64, 63}) CHECK(s.add(v(a)));
    CHECK(!s.add(v(64)));
    CHECK(s.count() == 4);
    CHECK(s.members() == std::vector{v(0), v(63), v(64), v(129)});
    author_set other(130);
    other.add(v(64));
    other.add(v(1));
    CHECK(s.without(other).members() == std::vector{v(0), v(63), v(129)});
    s.merge(other);
    CHECK(s.count() == 5);
    s.remove(v(0));
    CHECK(!s.contains(v(0)));
    CHECK(!author_set{}.contains(v(7)));
  }

  TEST_CASE("a header is taken once, and found by position and by identity") {
    graph g = example();
    CHECK(g.size() == 12);
    CHECK(g.find(id_of(at(2, 3))) == at(2, 3));
    CHECK(g.at(at(2, 3))->id == id_of(at(2, 3)));
    CHECK(!g.add(header_at(at(2, 3), {0, 1, 2})));
    CHECK(!g.contains(at(3, 2)));
    CHECK(!g.find(id_of(at(3, 2))));
    CHECK(g.authors(r(2)).members() == std::vector{v(0), v(1), v(2)});
    CHECK(g.authors(r(9)).empty());
    CHECK(g.highest() == r(4));
  }

  TEST_CASE("the quorum round is the highest with a quorum of authors, for every committee size") {
    for (const auto& [n, quorum] : {std::pair{4u, 3u}, {5u, 4u}, {6u, 5u}, {7u, 5u}}) {
      CAPTURE(n);
      REQUIRE(committee_of(n).quorum() == quorum);
      graph g(n, quorum);
      CHECK(g.quorum_round() == r(0));
      for (unsigned a = 0; a < quorum - 1; ++a) g.add(header_at(at(a, 1), {}));
      CHECK(g.quorum_round() == r(0));
      g.add(header_at(at(quorum - 1, 1), {}));
      CHECK(g.quorum_round() == r(1));
    }
  }

  TEST_CASE("a causal history goes over parents and weak links") {
    const graph g = example();
    history of_0(4), of_1(4);
    of_0.include(g, at(0, 4));
    of_1.include(g, at(1, 4));
    CHECK(of_0.contains(at(3, 1)));
    CHECK(!of_1.contains(at(3, 1)));
    CHECK(of_1.contains(at(0, 1)));
    CHECK(!of_1.contains(at(0, 4)));
    CHECK(of_0.positions().size() == 11);
    CHECK(of_1.positions().size() == 10);
    CHECK(of_1.positions().front() == at(0, 1));
    CHECK(of_1.positions().back() == at(1, 4));
  }

  TEST_CASE("a history grows by what is new in another root's history") {
    const graph g = example();
    history h(4);
    h.include(g, at(1, 3));
    CHECK(h.positions().size() == 7);
    h.include(g, {at(0, 4), at(1, 4)});
    CHECK(h.positions().size() == 12);
    h.include(g, at(3, 9));  // not there
    CHECK(h.positions().size() == 12);
  }

  TEST_CASE("support is parents alone: a weak link is no parent") {
    graph g = example();
    g.add(header_at(at(2, 4), {0, 1}, {at(3, 1)}));
    CHECK(g.at(at(2, 4))->parents.members() == std::vector{v(0), v(1)});
    CHECK(g.at(at(2, 4))->weak_links == std::vector{at(3, 1)});
  }

  TEST_CASE("a link that puts a header in another place leads nowhere") {
    graph g = example();
    auto x = header_at(at(2, 4), {0, 1});
    x.parents.push_back(id_of(at(2, 2)));
    x.weak_links = {{at(3, 2), id_of(at(3, 1))}, {at(1, 2), id_of(at(1, 2))}};
    g.add(x);
    CHECK(g.at(at(2, 4))->parents.members() == std::vector{v(0), v(1)});
    CHECK(g.at(at(2, 4))->weak_links == std::vector{at(1, 2)});
  }

  TEST_CASE("what is at or below the floor is forgotten, refused and part of no history") {
    graph g = example();
    g.raise_floor(r(2));
    CHECK(g.floor() == r(2));
    CHECK(g.size() == 5);
    CHECK(!g.contains(id_of(at(0, 2))));
    CHECK(!g.add(header_at(at(3, 2), {})));
    g.raise_floor(r(1));
    CHECK(g.floor() == r(2));
    history h(4);
    h.include(g, at(0, 4));
    CHECK(h.positions() == std::vector{at(0, 3), at(1, 3), at(2, 3), at(0, 4)});
    CHECK(g.quorum_round() == r(3));
    // A header whose ancestors are all dead is a root.
    graph late(4, 3);
    late.raise_floor(r(7));
    CHECK(late.highest() == r(7));
    CHECK(late.add(header_at(at(0, 8), {0, 1, 2})));
    CHECK(late.at(at(0, 8))->parents.empty());
  }

  TEST_CASE("a history forgets what is at or below the floor") {
    const graph g = example();
    history h(4);
    h.include(g, at(0, 4));
    h.raise_floor(r(3));
    CHECK(h.positions() == std::vector{at(0, 4)});
  }
}
