// Primaries and aggregators together: rounds go on, through loss, partitions, crashes, restarts and
// equivocation.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/unit/dag_world.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// All parents and weak links above the floor came before each header, and nothing came twice.
bool causal_order_holds(const dag_world& world) {
  for (const auto& x : world.nodes) {
    std::set<digest> seen;
    std::set<dag_position> positions;
    for (const auto where : x.complete) {
      if (!positions.insert(where).second) return false;
      const auto it = x.stored.certified.find(where);
      if (it == x.stored.certified.end()) continue;  // deleted since
      const header& h = it->second.hdr;
      if (where.round > x.stored.floor + 1 && where.round > r(1))
        for (const auto& parent : h.parents)
          if (!seen.contains(parent)) return false;
      for (const auto& link : h.weak_links)
        if (link.position.round > x.stored.floor && !seen.contains(link.header)) return false;
      seen.insert(h.id);
    }
  }
  return true;
}

/// No two validators have different certified headers at one position, and nobody ever voted for
/// two or made two.
void check_safety(const dag_world& world) {
  CHECK(world.broken_promises.empty());
  bool same = true;
  std::map<dag_position, digest> certified;
  for (const auto& x : world.nodes)
    for (const auto& [where, c] : x.stored.certified)
      same = same && certified.emplace(where, c.hdr.id).first->second == c.hdr.id;
  CHECK(same);
  CHECK(causal_order_holds(world));
}

/// Refusals that no honest validator should meet. Votes may be late or come twice.
unsigned refusals(const dag_world& world) {
  unsigned n = 0;
  for (const auto& x : world.nodes)
    for (const auto& [why, count] : x.rejected)
      if (why != reject::duplicate_vote && why != reject::vote_for_unknown) n += count;
  return n;
}

bool between(const letter& x, std::initializer_list<unsigned> group) {
  const auto in = [&](unsigned i) {
    return std::find(group.begin(), group.end(), i) != group.end();
  };
  return in(x.from) != in(x.to);
}

}  // namespace

TEST_SUITE("dag rounds") {
  TEST_CASE("rounds go on for every committee size, and nothing is refused or fetched") {
    for (const std::size_t n : {4, 5, 6, 7}) {
      CAPTURE(n);
      dag_world world(n);
      world.start_all();
      world.run_for(4s);
      CHECK(world.slowest() > r(40));
      CHECK(refusals(world) == 0);
      for (const auto& x : world.nodes) {
        CHECK(x.complete.size() > 40 * n);
        CHECK(x.requests == 0);
      }
      check_safety(world);
    }
  }

  TEST_CASE("rounds go on while a fifth of all messages is lost") {
    for (const unsigned seed : {1, 2, 3}) {
      CAPTURE(seed);
      dag_world world(4, seed);
      std::mt19937 rng(seed);
      world.lost = [&](const letter&) { return rng() % 5 == 0; };
      world.start_all();
      world.run_for(20s);
      const auto before = world.slowest();
      CHECK(before > r(30));
      world.lost = [](const letter&) { return false; };
      world.run_for(2s);
      CHECK(world.slowest() > before + 10);
      CHECK(refusals(world) == 0);
      check_safety(world);
    }
  }

  TEST_CASE("a partition in halves stops the rounds, and they go on when it heals") {
    dag_world world(4);
    world.start_all();
    world.run_for(1s);
    world.lost = [](const letter& x) { return between(x, {0, 1}); };
    world.run_for(10s);
    const auto stopped = world.slowest();
    world.run_for(10s);
    CHECK(world.slowest() == stopped);
    world.lost = [](const letter&) { return false; };
    world.run_for(10s);
    CHECK(world.slowest() > stopped + 10);
    check_safety(world);
  }

  TEST_CASE("f silent validators stop nothing") {
    for (const std::size_t n : {4, 7}) {
      CAPTURE(n);
      dag_world world(n);
      for (unsigned i = 0; i < world.members.quorum(); ++i) world.start(i);
      world.run_for(4s);
      CHECK(world.slowest() > r(30));
      check_safety(world);
    }
  }

  TEST_CASE("with more than f validators down the others idle, and go on when one is back") {
    dag_world world(4);
    world.start_all();
    world.run_for(1s);
    world.crash(2);
    world.crash(3);
    world.run_for(10s);
    for (unsigned i : {0, 1}) world.nodes[i].steps = 0;
    const auto stopped = world.slowest();
    world.run_for(60s);
    for (unsigned i : {0, 1}) CHECK(world.nodes[i].steps < 300);
    CHECK(world.slowest() == stopped);
    world.start(3);
    world.run_for(10s);
    CHECK(world.slowest() > stopped + 10);
    check_safety(world);
  }

  TEST_CASE(
      "a validator that was away for hundreds of rounds catches up by ranges and takes part "
      "again") {
    dag_world world(4);
    world.start_all();
    world.run_for(1s);
    world.crash(2);
    world.run_for(20s);
    const auto top = world.slowest();
    REQUIRE(top > world.nodes[2].stored.at.floor + 250);
    world.start(2);
    world.run_for(3s);
    CHECK(world.nodes[2].ranges > 5);
    CHECK(world.nodes[2].primary->round() > top);
    const auto& log = world.nodes[0].log;
    CHECK(log.authors(log.quorum_round() - 3).contains(v(2)));
    check_safety(world);
  }

  TEST_CASE("the peer that a late validator syncs from dies in the middle, and it switches") {
    dag_world world(4);
    world.start_all();
    world.run_for(1s);
    world.crash(2);
    world.run_for(10s);
    world.start(2);
    unsigned silent = 9;
    world.lost = [&](const letter& x) {
      if (silent == 9 && x.from == 2 && std::holds_alternative<round_range>(x.what)) silent = x.to;
      return x.from == silent && std::holds_alternative<certified_header>(x.what);
    };
    world.run_for(4s);
    CHECK(silent != 9);
    CHECK(world.nodes[2].primary->round() + 3 > world.nodes[0].primary->round());
    check_safety(world);
  }

  TEST_CASE("all validators crash again and again, and nobody breaks a promise") {
    for (const unsigned seed : {1, 2, 3, 4}) {
      CAPTURE(seed);
      dag_world world(4, seed);
      std::mt19937 rng(seed);
      world.lost = [&](const letter&) { return rng() % 20 == 0; };
      world.start_all();
      for (int i = 0; i < 30; ++i) {
        world.run_for(std::chrono::milliseconds(rng() % 400));
        const unsigned who = rng() % 4;
        if (world.nodes[who].up)
          world.crash(who);
        else
          world.start(who);
      }
      for (unsigned i = 0; i < 4; ++i)
        if (!world.nodes[i].up) world.start(i);
      const auto before = world.slowest();
      world.run_for(10s);
      CHECK(world.slowest() > before + 20);
      check_safety(world);
    }
  }

  TEST_CASE("of two headers in one round at most one is certified, and both are evidence") {
    dag_world world(4);
    for (unsigned i : {0, 1, 2}) world.start(i);
    world.run_for(1s);
    // Validator 3 makes two headers of a round and shows each to some.
    header x;
    x.author = v(3);
    x.round = world.nodes[0].log.quorum_round() + 1;
    for (unsigned a : {0, 1, 2})
      x.parents.push_back(world.nodes[0].log.at({x.round - 1, v(a)})->id);
    header y = x;
    y.created_at = time_point{1ns};
    const auto first = world.sign(x), second = world.sign(y);
    world.post({3, 0, first});
    world.post({3, 1, first});
    world.post({3, 2, second});
    world.run_for(100ms);
    for (unsigned i : {0, 1, 2}) world.post({3, i, first});
    for (unsigned i : {0, 1, 2}) world.post({3, i, second});
    world.run_for(2s);
    for (unsigned i : {0, 1, 2}) {
      CHECK(world.nodes[i].caught.size() == 1);
      CHECK(world.nodes[i].rejected[reject::equivocation] >= 1);
    }
    CHECK(world.nodes[0].voted.at(first.hdr.position()) == first.hdr.id);
    CHECK(world.nodes[2].voted.at(first.hdr.position()) == second.hdr.id);
    check_safety(world);
  }

  TEST_CASE("a batch withheld from one validator keeps its vote back, not the certificate") {
    dag_world world(4);
    world.start_all();
    world.run_for(500ms);
    const auto id = world.batch(1, 77, {0, 1, 2});
    world.run_for(2s);
    CHECK(world.nodes[1].batches_proposed.contains(id));
    const auto carrier = [&]() -> std::optional<dag_position> {
      for (const auto& [where, c] : world.nodes[3].stored.certified)
        for (const auto& entry : c.hdr.payload)
          if (entry.batch == id) return where;
      return std::nullopt;
    }();
    REQUIRE(carrier);
    CHECK(!world.nodes[3].voted.contains(*carrier));
    CHECK(world.nodes[0].voted.contains(*carrier));
    check_safety(world);
  }

  TEST_CASE("every available batch is certified, through loss") {
    dag_world world(4, 5);
    std::mt19937 rng(5);
    world.lost = [&](const letter&) { return rng() % 10 == 0; };
    world.start_all();
    std::vector<digest> batches;
    for (unsigned i = 1; i <= 60; ++i) {
      batches.push_back(world.batch(i % 4, i, {0, 1, 2, 3}));
      world.run_for(std::chrono::milliseconds(rng() % 100));
    }
    world.run_for(20s);
    std::set<digest> certified;
    for (const auto& [where, c] : world.nodes[0].stored.certified)
      for (const auto& entry : c.hdr.payload) certified.insert(entry.batch);
    for (const auto& id : batches) CHECK(certified.contains(id));
    check_safety(world);
  }
}
