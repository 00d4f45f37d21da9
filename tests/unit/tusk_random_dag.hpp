// Random certified DAGs and the orders in which validators may come to know them, for tests of the
// commit rule. Seeded: the same seed gives the same DAG everywhere.
#pragma once

#include <algorithm>
#include <bitset>
#include <map>
#include <random>
#include <vector>

#include "actors/committer/tusk.hpp"

namespace flamingo::committer::test {

class random_source {
public:
  explicit random_source(std::uint64_t seed) : engine_(seed) {}
  /// Uniform enough in [0, n).
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  std::uint64_t between(std::uint64_t first, std::uint64_t last) {
    return first + below(last - first + 1);
  }
  bool chance(unsigned per_mille) { return below(1000) < per_mille; }

  template <class T>
  std::vector<T> sample(std::vector<T> from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) std::swap(from[i], from[i + below(from.size() - i)]);
    from.resize(count);
    return from;
  }

private:
  std::mt19937_64 engine_;
};

/// A set of places of a small DAG.
class place_set {
public:
  bool contains(dag_position x) const { return bits_[index(x)]; }
  bool insert(dag_position x) {
    const bool fresh = !bits_[index(x)];
    bits_[index(x)] = true;
    return fresh;
  }
  void insert(const place_set& other) { bits_ |= other.bits_; }

private:
  static std::size_t index(dag_position x) { return x.round.value * 8 + x.author.value; }
  std::bitset<512> bits_;
};

struct random_dag {
  std::size_t n, f;
  std::map<dag_position, vertex> vertices;                      // of rounds from 1
  std::map<dag_position, std::vector<dag_position>> ancestors;  // parents, then weak links
  std::map<wave_number, validator_id> leaders;

  dag_position leader(wave_number w) const { return {leader_round(w), leaders.at(w)}; }
  bool links(dag_position from, dag_position to) const {
    const auto& x = ancestors.at(from);
    return std::find(x.begin(), x.end(), to) != x.end();
  }
};

inline digest name_of(std::uint64_t seed, dag_position x) {
  random_source bytes(seed * 1'000'003 + x.round.value * 1009 + x.author.value);
  digest result;
  for (auto& b : result.bytes) b = static_cast<byte>(bytes.below(256));
  return result;
}

using hostile_waves = std::map<wave_number, bool>;

inline std::vector<dag_position> choose_parents(const random_dag& dag, random_source& rng,
                                                const std::vector<dag_position>& previous,
                                                round_number r, const hostile_waves& hostile) {
  if (r.value == 1) return {};
  const std::size_t quorum = dag.n - dag.f;
  const wave_number w{r.value / 2};
  if (r == support_round(w) && hostile.at(w) && rng.chance(850)) {
    auto rest = previous;
    std::erase(rest, dag.leader(w));
    if (rest.size() >= quorum) return rng.sample(rest, quorum);
  }
  return rng.sample(previous, rng.between(quorum, previous.size()));
}

/// Parents are a random quorum or more, and weak links go to what is not reached yet. In some waves
/// most headers of the second round leave the leader out, as an adversary that knows the coin
/// would.
inline random_dag make_random_dag(std::uint64_t seed, std::uint64_t rounds) {
  random_source rng(seed);
  random_dag dag;
  dag.n = rng.between(4, 7);
  dag.f = (dag.n - 1) / 3;
  const std::size_t quorum = dag.n - dag.f;
  std::vector<std::uint16_t> everyone;
  for (std::uint16_t a = 0; a < dag.n; ++a) everyone.push_back(a);
  hostile_waves hostile;
  for (wave_number w{1}; w.value <= rounds; ++w) {
    dag.leaders[w] = validator_id{static_cast<std::uint16_t>(rng.below(dag.n))};
    hostile[w] = rng.chance(600);
  }
  std::map<dag_position, place_set> reach;
  std::vector<dag_position> previous;
  for (round_number r{1}; r.value <= rounds; ++r) {
    std::vector<dag_position> current;
    for (const auto author : rng.sample(everyone, rng.between(quorum, dag.n))) {
      const dag_position place{r, validator_id{author}};
      vertex x{name_of(seed, place), place, {}, {}};
      auto& seen = reach[place];
      auto& ancestors = dag.ancestors[place];
      const auto link = [&](dag_position to) {
        ancestors.push_back(to);
        seen.insert(to);
        seen.insert(reach[to]);
      };
      for (const auto& p : choose_parents(dag, rng, previous, r, hostile)) {
        x.parents.push_back(dag.vertices.at(p).id);
        link(p);
      }
      for (std::uint16_t a = 0; r.value == 1 && a < dag.n; ++a)
        x.parents.push_back(name_of(seed, {round_number{0}, validator_id{a}}));
      for (const auto& [older, y] : dag.vertices) {
        if (older.round + 2 > r) break;
        const auto age = std::min<std::uint64_t>(4, r.value - older.round.value);
        if (seen.contains(older) || !rng.chance(static_cast<unsigned>(50 * age))) continue;
        x.weak_links.push_back({older, y.id});
        link(older);
      }
      current.push_back(place);
      dag.vertices.emplace(place, std::move(x));
    }
    std::sort(current.begin(), current.end());
    previous = std::move(current);
  }
  return dag;
}

/// A causal order in which certificates come up to `lag` rounds late. Some that nothing links never
/// come.
inline std::vector<dag_position> causal_order(const random_dag& dag, random_source& rng,
                                              std::uint64_t lag) {
  std::vector<std::pair<std::uint64_t, dag_position>> wanted;
  place_set linked, got;
  for (const auto& [place, ancestors] : dag.ancestors) {
    wanted.emplace_back(place.round.value * 1000 + rng.below(lag * 1000), place);
    for (const auto& y : ancestors) linked.insert(y);
  }
  std::sort(wanted.begin(), wanted.end());
  std::vector<dag_position> result;
  const auto need = [&](auto&& self, dag_position x) -> void {
    if (!got.insert(x)) return;
    for (const auto& y : dag.ancestors.at(x)) self(self, y);
    result.push_back(x);
  };
  for (const auto& [when, x] : wanted)
    if (linked.contains(x) || rng.chance(500)) need(need, x);
  return result;
}

}  // namespace flamingo::committer::test
