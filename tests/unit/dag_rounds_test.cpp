// Primaries and aggregators together: rounds go on, through loss, crashes and restarts.
#include <doctest/doctest.h>

#include <set>

#include "tests/unit/dag_world.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// All parents and weak links above the floor came before each header, and nothing came twice.
void check_causal_order(const dag_world& world) {
  for (const auto& x : world.nodes) {
    std::set<digest> seen;
    std::set<dag_position> positions;
    for (const auto where : x.complete) {
      CHECK(positions.insert(where).second);
      const auto it = x.stored.certified.find(where);
      if (it == x.stored.certified.end()) continue;  // deleted since
      const header& h = it->second.hdr;
      if (where.round > x.stored.floor + 1)
        for (const auto& parent : h.parents)
          if (where.round.value > 1) CHECK(seen.contains(parent));
      for (const auto& link : h.weak_links)
        if (link.position.round > x.stored.floor) CHECK(seen.contains(link.header));
      seen.insert(h.id);
    }
  }
}

/// No two validators have different certified headers at one position, and nobody ever voted for
/// two.
void check_agreement(const dag_world& world) {
  std::map<dag_position, digest> certified;
  for (const auto& x : world.nodes)
    for (const auto& [where, c] : x.stored.certified)
      CHECK(certified.emplace(where, c.hdr.id).first->second == c.hdr.id);
}

}  // namespace

TEST_SUITE("dag rounds") {
  TEST_CASE("rounds go on for every committee size, and nothing is refused") {
    for (const std::size_t n : {4, 5, 6, 7}) {
      CAPTURE(n);
      dag_world world(n);
      world.start_all();
      world.run_for(10s);
      CHECK(world.slowest() > r(100));
      for (const auto& x : world.nodes) {
        CHECK(x.rejected.empty());
        CHECK(x.complete.size() > 100 * n);
        CHECK(x.requests == 0);
      }
      check_causal_order(world);
      check_agreement(world);
    }
  }
}
