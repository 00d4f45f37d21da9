// Tusk's rule case by case, and a restart after every commit.
#include <doctest/doctest.h>

#include <set>

#include "actors/committer/leaders/coin.hpp"
#include "actors/committer/leaders/round_robin.hpp"
#include "tests/unit/tusk_random_dag.hpp"

using namespace flamingo;
using namespace flamingo::committer;
using namespace flamingo::committer::test;

namespace {

constexpr tusk_parameters four{4, 2, 6};

dag_position at(std::uint64_t r, std::uint16_t author) {
  return {round_number{r}, validator_id{author}};
}

vertex make(dag_position x, const std::vector<std::uint16_t>& parents,
            const std::vector<dag_position>& weak = {}) {
  vertex v{name_of(1, x), x, {}, {}};
  for (const auto p : parents) v.parents.push_back(name_of(1, {x.round - 1, validator_id{p}}));
  for (const auto& y : weak) v.weak_links.push_back({y, name_of(1, y)});
  return v;
}

/// Rounds `first` to `last` in which everybody has everybody as parent.
void add_full_rounds(tusk& rule, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t r = first; r <= last; ++r)
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(r, a), {0, 1, 2, 3}));
}

std::vector<dag_position> places(const sub_dag& x) {
  std::vector<dag_position> result;
  for (const auto& y : x.output) result.push_back(y.position);
  return result;
}

}  // namespace

TEST_SUITE("tusk") {
  TEST_CASE("f parents are too few and f+1 commit the leader") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    leaders.coin_known(wave_number{1}, 3);
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(1, a), {}));
    rule.add(make(at(2, 0), {0, 1, 3}));
    rule.add(make(at(2, 1), {0, 1, 2}));
    CHECK(rule.commit(leaders).empty());
    rule.add(make(at(2, 2), {1, 2, 3}));
    const auto chain = rule.commit(leaders);
    REQUIRE(chain.size() == 1);
    CHECK(places(chain[0]) == std::vector{at(1, 3)});
    CHECK(chain[0].head == log_head{commit_index{1}, wave_number{1}, round_number{1}});
    CHECK(rule.commit(leaders).empty());
  }

  TEST_CASE("nothing commits before the coin is known") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    add_full_rounds(rule, 1, 5);
    CHECK(rule.commit(leaders).empty());
    leaders.coin_known(wave_number{2}, 1);
    CHECK(rule.commit(leaders).empty());  // the leader of wave 1 may lie in its history
    leaders.coin_known(wave_number{1}, 2);
    const auto chain = rule.commit(leaders);
    REQUIRE(chain.size() == 2);
    CHECK(places(chain[0]) == std::vector{at(1, 2)});
    CHECK(chain[1].output.size() == 8);  // the other three of round 1, four of 2, and the anchor
    CHECK(chain[1].anchor == name_of(1, at(3, 1)));
  }

  TEST_CASE("a leader without a certificate is skipped for ever, also when it comes late") {
    tusk rule(four, {}, {});
    round_robin_leaders leaders(4);  // wave 1 is led by validator 1, wave 2 by 2
    for (const std::uint16_t a : {0, 2, 3}) rule.add(make(at(1, a), {}));
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(2, a), {0, 2, 3}));
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(3, a), {0, 1, 2, 3}));
    for (std::uint16_t a = 0; a < 3; ++a) rule.add(make(at(4, a), {0, 1, 2, 3}));
    auto chain = rule.commit(leaders);
    REQUIRE(chain.size() == 1);
    CHECK(chain[0].head.wave == wave_number{2});
    CHECK(chain[0].skipped_waves == 1);
    CHECK(rule.add(make(at(1, 1), {})) == tusk::taken::added);
    CHECK(rule.commit(leaders).empty());
    CHECK(rule.commit_wave(wave_number{1}, leaders).empty());
    // It is still output, as an ordinary header, by an anchor that reaches it over a weak link.
    rule.add(make(at(4, 3), {0, 1, 2, 3}, {at(1, 1)}));
    add_full_rounds(rule, 5, 6);
    chain = rule.commit(leaders);
    REQUIRE(chain.size() == 1);
    const auto output = places(chain[0]);
    CHECK(std::count(output.begin(), output.end(), at(1, 1)) == 1);
  }

  TEST_CASE("within a round the order begins at the author that the anchor's digest names") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    leaders.coin_known(wave_number{1}, 0);
    leaders.coin_known(wave_number{2}, 0);
    add_full_rounds(rule, 1, 4);
    const auto chain = rule.commit(leaders);
    REQUIRE(chain.size() == 2);
    const std::uint64_t shift = chain[1].anchor.bytes[0] % 4;  // 256 is a multiple of 4
    std::vector<dag_position> expected;
    for (const std::uint64_t r : {1, 2})
      for (std::uint64_t rank = 0; rank < 4; ++rank) {
        const auto author = static_cast<std::uint16_t>((rank + 4 - shift) % 4);
        if (r != 1 || author != 0) expected.push_back(at(r, author));
      }
    expected.push_back(at(3, 0));
    CHECK(places(chain[1]) == expected);
  }

  TEST_CASE("a certificate that comes again, or below the floor, changes nothing") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    for (wave_number w{1}; w.value <= 6; ++w) leaders.coin_known(w, 0);
    CHECK(rule.add(make(at(1, 0), {})) == tusk::taken::added);
    CHECK(rule.add(make(at(1, 0), {})) == tusk::taken::known);
    vertex other = make(at(1, 0), {});
    other.id.bytes[5] ^= 1;
    CHECK(rule.add(other) == tusk::taken::contradicted);
    for (const std::uint16_t a : {1, 2}) rule.add(make(at(1, a), {}));
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(2, a), {0, 1, 2}));
    add_full_rounds(rule, 3, 12);
    const auto chain = rule.commit(leaders);
    REQUIRE(chain.size() == 6);
    CHECK(rule.floor() == round_number{5});
    CHECK(rule.add(make(at(11, 0), {0, 1, 2, 3})) == tusk::taken::output);
    CHECK(rule.add(make(at(12, 0), {0, 1, 2, 3})) == tusk::taken::known);
    CHECK(rule.add(make(at(1, 3), {})) == tusk::taken::dead);
    CHECK(rule.commit(leaders).empty());
  }

  TEST_CASE("what falls below the floor without being output is reported dead, once") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    for (wave_number w{1}; w.value <= 6; ++w) leaders.coin_known(w, 0);
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(1, a), {}));
    for (std::uint16_t a = 0; a < 4; ++a) rule.add(make(at(2, a), {0, 1, 2}));  // not (1, 3)
    add_full_rounds(rule, 3, 12);
    std::vector<dag_position> died;
    for (const auto& x : rule.commit(leaders))
      died.insert(died.end(), x.died.begin(), x.died.end());
    CHECK(died == std::vector{at(1, 3)});
  }

  TEST_CASE("links that no honest quorum lets pass are refused") {
    tusk rule(four, {}, {});
    add_full_rounds(rule, 1, 3);
    CHECK(rule.add(make({round_number{4}, validator_id{4}}, {0, 1, 2})) == tusk::taken::malformed);
    CHECK(rule.add(make(at(4, 0), {0, 1, 2}, {at(3, 3)})) == tusk::taken::malformed);
    CHECK(rule.add(make(at(4, 0), {0, 1, 2}, {at(2, 9)})) == tusk::taken::malformed);
    for (const std::uint64_t below : {1, 2})
      CHECK(rule.add(make(at(4, 0), {0, 1, 2}, {at(std::uint64_t{0} - below, 1)})) ==
            tusk::taken::malformed);
  }

  TEST_CASE("links at or below the floor mean nothing, whatever they name") {
    tusk rule(four, {}, {});
    coin_leaders leaders(4);
    for (wave_number w{1}; w.value <= 6; ++w) leaders.coin_known(w, 0);
    add_full_rounds(rule, 1, 12);
    REQUIRE(rule.commit(leaders).size() == 6);
    REQUIRE(rule.floor() == round_number{5});
    // A header of another round, another one's, and nobody's.
    auto x = make(at(13, 0), {0, 1, 2, 3}, {at(1, 3), at(4, 1), at(5, 2), at(6, 3)});
    x.weak_links[0].header = name_of(1, at(12, 1));
    x.weak_links[1].header = name_of(1, at(4, 2));
    x.weak_links[2].header.bytes[0] ^= 1;
    CHECK(rule.add(x) == tusk::taken::added);
    auto low = make(at(6, 0), {0, 1, 2});
    rule = tusk(four, rule.head(), {});
    low.parents = {name_of(1, at(12, 1)), name_of(1, at(4, 2)), digest{}};
    CHECK(rule.add(low) == tusk::taken::added);
  }

  TEST_CASE("rebuilt after any commit, it goes on with the same chain") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      const auto dag = make_random_dag(seed, 41);
      const tusk_parameters parameters{dag.n, dag.f + 1, 6};
      random_source rng(seed);
      const auto order = causal_order(dag, rng, 4);
      const auto run = [&](bool restart_at_every_commit) {
        std::vector<sub_dag> chain;
        std::vector<ordered_header> output;
        coin_leaders leaders(dag.n);
        for (const auto& [w, who] : dag.leaders) leaders.coin_known(w, who.value);
        tusk rule(parameters, {}, {});
        for (std::size_t i = 0; i < order.size(); ++i) {
          rule.add(dag.vertices.at(order[i]));
          for (auto& x : rule.commit(leaders)) {
            output.insert(output.end(), x.output.begin(), x.output.end());
            x.died.clear();  // told again only by who fed it
            chain.push_back(std::move(x));
          }
          if (!restart_at_every_commit || chain.empty() || chain.back().head != rule.head())
            continue;
          std::erase_if(output, [&](const auto& x) { return x.position.round <= rule.floor(); });
          rule = tusk(parameters, rule.head(), output);
          for (std::size_t k = 0; k <= i; ++k) rule.add(dag.vertices.at(order[k]));
        }
        return chain;
      };
      REQUIRE(run(true) == run(false));
    }
  }

  TEST_CASE("in turn, validators lead without a coin") {
    const auto leaders = make_leader_rule(leader_election::round_robin, 4);
    CHECK(!leaders->wants_coin(wave_number{1}));
    CHECK(leaders->leader(wave_number{1}) == validator_id{1});
    CHECK(leaders->leader(wave_number{4}) == validator_id{0});
    const auto coin = make_leader_rule(leader_election::coin, 4);
    CHECK(coin->wants_coin(wave_number{1}));
    CHECK(!coin->leader(wave_number{1}));
    coin->coin_known(wave_number{1}, 7);
    CHECK(coin->leader(wave_number{1}) == validator_id{3});
    coin->forget(wave_number{1});
    CHECK(!coin->wants_coin(wave_number{1}));
  }
}
