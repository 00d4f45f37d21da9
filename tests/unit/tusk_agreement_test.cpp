// Every observer of a certified DAG outputs the same chain, in whatever order it comes to know the
// DAG and whenever it looks at the rule; and the wrong readings of the rule that this file spells
// out do fork, or lose headers, on the same DAGs (design: the certified DAG and Tusk).
#include <doctest/doctest.h>

#include <set>

#include "actors/committer/leaders/coin.hpp"
#include "tests/unit/tusk_random_dag.hpp"

using namespace flamingo;
using namespace flamingo::committer;
using namespace flamingo::committer::test;

namespace {

constexpr std::uint64_t depth = 6, dag_rounds = 41;
constexpr std::uint64_t seeds = 150;

struct committed_anchor {
  dag_position anchor;
  std::vector<dag_position> output;
  friend bool operator==(const committed_anchor&, const committed_anchor&) = default;
};
using log = std::vector<committed_anchor>;

bool prefixes(const log& a, const log& b) {
  const auto k = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return std::equal(a.begin(), a.begin() + k, b.begin());
}

/// How a validator comes to know a DAG: in which order, and how rarely it looks at the rule.
struct viewpoint {
  std::vector<dag_position> order;
  unsigned eager_per_mille;
  std::uint64_t seed;
};

viewpoint make_viewpoint(const random_dag& dag, std::uint64_t seed) {
  random_source rng(seed);
  constexpr std::uint64_t lags[] = {1, 4, 9};
  constexpr unsigned eager[] = {1000, 200, 30};
  const auto lag = lags[rng.below(3)];
  return {causal_order(dag, rng, lag), eager[rng.below(3)], rng.below(1u << 30)};
}

/// Feeds a DAG to `observer` (add, and evaluate at some moments).
template <class Observer>
void observe(Observer& observer, const random_dag& dag, const viewpoint& view) {
  random_source rng(view.seed);
  for (const auto& place : view.order) {
    observer.add(dag.vertices.at(place));
    if (rng.chance(view.eager_per_mille)) observer.evaluate();
  }
}

class real_observer {
public:
  real_observer(const random_dag& dag, std::uint64_t seed)
      : dag_(dag), leaders_(dag.n), rule_({dag.n, dag.f + 1, depth}, {}, {}), rng_(seed) {}

  void add(const vertex& x) {
    rule_.add(x);
    if (x.position.round > top_) top_ = x.position.round;
  }
  void evaluate() {
    for (wave_number w{1}; coin_round(w) <= top_; ++w)
      if (leaders_.wants_coin(w)) leaders_.coin_known(w, dag_.leaders.at(w).value);
    if (rng_.chance(700)) return keep(rule_.commit(leaders_));
    // Any wave at any time.
    keep(rule_.commit_wave(wave_number{rng_.between(1, (top_.value + 1) / 2)}, leaders_));
  }
  const log& output() const { return log_; }
  const std::vector<sub_dag>& sub_dags() const { return sub_dags_; }

private:
  void keep(const std::vector<sub_dag>& chain) {
    for (const sub_dag& x : chain) {
      committed_anchor entry{{x.head.anchor_round, {}}, {}};
      for (const auto& y : x.output) {
        entry.output.push_back(y.position);
        if (y.id == x.anchor) entry.anchor = y.position;
      }
      log_.push_back(entry);
      sub_dags_.push_back(x);
    }
  }

  const random_dag& dag_;
  coin_leaders leaders_;
  tusk rule_;
  random_source rng_;
  round_number top_;
  log log_;
  std::vector<sub_dag> sub_dags_;
};

enum class reading { proposed, from_top, own_floor, local_floor, per_author, weak_support };

/// The rule once more, as plainly as it can be said, with the wrong readings.
class plain_observer {
public:
  plain_observer(const random_dag& dag, reading how) : dag_(dag), how_(how) {}

  void add(const vertex& x) {
    have_.insert(x.position);
    top_ = std::max(top_, x.position.round);
  }

  void evaluate() {
    for (wave_number w{(top_.value + 1) / 2}; w > wave_; w = w - 1) {
      const auto newest = dag_.leader(w);
      if (coin_round(w) > top_ || !have_.contains(newest) || support(w) < dag_.f + 1) continue;
      std::vector<std::pair<wave_number, dag_position>> chain{{w, newest}};
      auto candidate = newest;
      for (wave_number v = w - 1; v > wave_; v = v - 1) {
        const auto earlier = dag_.leader(v);
        const auto from = how_ == reading::from_top ? newest : candidate;
        if (!have_.contains(earlier) || !reaches(from, earlier)) continue;
        chain.emplace_back(v, earlier);
        candidate = earlier;
      }
      std::reverse(chain.begin(), chain.end());
      for (const auto& [v, anchor] : chain) emit(v, anchor);
      return;
    }
  }

  const log& output() const { return log_; }
  std::size_t lost() const {
    std::size_t result = 0;
    for (const auto& [place, x] : dag_.vertices)
      if (place.round + 12 <= last_ && !done_.contains(place)) ++result;
    return result;
  }

private:
  std::size_t support(wave_number w) const {
    std::size_t result = 0;
    for (const auto& place : have_) {
      const bool counts = place.round == support_round(w) ||
                          (how_ == reading::weak_support && place.round == coin_round(w));
      if (counts && dag_.links(place, dag_.leader(w))) ++result;
    }
    return result;
  }

  std::vector<dag_position> history(dag_position from, round_number floor) const {
    place_set seen;
    std::vector<dag_position> reached{from};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (const auto& next : dag_.ancestors.at(dag_position{reached[i]}))
        if (next.round > floor && seen.insert(next)) reached.push_back(next);
    return reached;
  }
  bool reaches(dag_position from, dag_position to) const {
    const auto x = history(from, round_number{0});
    return std::find(x.begin(), x.end(), to) != x.end();
  }

  void emit(wave_number w, dag_position anchor) {
    round_number floor = last_ - depth;
    if (how_ == reading::own_floor) floor = anchor.round - depth;
    if (how_ == reading::local_floor) floor = top_ - depth;
    committed_anchor entry{anchor, {}};
    for (const auto& x : history(anchor, floor)) {
      const bool gone = how_ == reading::per_author ? x.round <= newest_of_[x.author] : false;
      if (x.round > floor && !done_.contains(x) && !gone) entry.output.push_back(x);
    }
    const auto& id = dag_.vertices.at(anchor).id;
    std::uint64_t number = 0;
    for (int i = 7; i >= 0; --i) number = number << 8 | id.bytes[static_cast<std::size_t>(i)];
    const auto rank = [&](const dag_position& x) {
      return std::pair(x.round, (x.author.value + number % dag_.n) % dag_.n);
    };
    std::sort(entry.output.begin(), entry.output.end(),
              [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    for (const auto& x : entry.output) {
      done_.insert(x);
      newest_of_[x.author] = std::max(newest_of_[x.author], x.round);
    }
    log_.push_back(std::move(entry));
    wave_ = w;
    last_ = anchor.round;
  }

  const random_dag& dag_;
  reading how_;
  std::set<dag_position> have_;
  place_set done_;
  std::map<validator_id, round_number> newest_of_;
  round_number top_, last_;
  wave_number wave_;
  log log_;
};

struct tally {
  std::size_t forks = 0, lost = 0;
};

tally measure(reading how) {
  tally result;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto dag = make_random_dag(seed, dag_rounds);
    plain_observer a(dag, how), b(dag, how);
    observe(a, dag, make_viewpoint(dag, 2 * seed));
    observe(b, dag, make_viewpoint(dag, 2 * seed + 1));
    result.forks += !prefixes(a.output(), b.output());
    result.lost += a.lost();
  }
  return result;
}

}  // namespace

TEST_SUITE("tusk") {
  TEST_CASE("observers output prefixes of one chain, whatever they see when") {
    std::size_t commits = 0, skips = 0;
    for (std::uint64_t seed = 0; seed < 2 * seeds; ++seed) {
      CAPTURE(seed);
      const auto dag = make_random_dag(seed, dag_rounds);
      real_observer a(dag, seed), b(dag, seed + 1000);
      observe(a, dag, make_viewpoint(dag, 2 * seed));
      observe(b, dag, make_viewpoint(dag, 2 * seed + 1));
      REQUIRE(prefixes(a.output(), b.output()));
      const auto k = std::min(a.sub_dags().size(), b.sub_dags().size());
      for (std::size_t i = 0; i < k; ++i) {
        const auto &x = a.sub_dags()[i], &y = b.sub_dags()[i];
        REQUIRE(x.head == y.head);
        REQUIRE(x.output == y.output);
        REQUIRE(x.next_floor == y.next_floor);
        REQUIRE(x.skipped_waves == y.skipped_waves);
        skips += x.skipped_waves;
      }
      commits += k;
    }
    CHECK(commits > 1000);  // the DAGs do let waves commit, and skip some
    CHECK(skips > 100);
  }

  TEST_CASE("the rule does what its plain statement does") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(seed);
      const auto dag = make_random_dag(seed, dag_rounds);
      real_observer real(dag, seed);
      plain_observer plain(dag, reading::proposed);
      const auto view = make_viewpoint(dag, seed);
      observe(real, dag, view);
      observe(plain, dag, view);
      plain.evaluate();
      real.evaluate();
      REQUIRE(prefixes(real.output(), plain.output()));
    }
  }

  TEST_CASE("no header is output twice, or at or below its floor") {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      CAPTURE(seed);
      const auto dag = make_random_dag(seed, dag_rounds);
      real_observer x(dag, seed);
      observe(x, dag, make_viewpoint(dag, seed));
      std::set<dag_position> done;
      round_number floor, expected_floor;
      commit_index index;
      for (const auto& commit : x.sub_dags()) {
        REQUIRE(commit.head.index == index + 1);
        index = commit.head.index;
        for (const auto& y : commit.output) {
          REQUIRE(y.position.round > floor);
          REQUIRE(done.insert(y.position).second);
        }
        for (const auto& y : commit.died) {
          REQUIRE(y.round <= commit.next_floor);
          REQUIRE(!done.contains(y));
        }
        floor = commit.next_floor;
        REQUIRE(floor == commit.head.anchor_round - depth);
      }
    }
  }

  TEST_CASE("the proposed reading neither forks nor loses much") {
    const auto x = measure(reading::proposed);
    CHECK(x.forks == 0);
    CHECK(x.lost < 60);  // of about 20000: headers that nothing links
  }

  TEST_CASE("testing earlier leaders against the newest one forks") {
    CHECK(measure(reading::from_top).forks > 10);
  }

  TEST_CASE("a floor from the local frontier forks") {
    CHECK(measure(reading::local_floor).forks > 10);
  }

  TEST_CASE("support that counts weak links forks") {
    CHECK(measure(reading::weak_support).forks > 0);
  }

  TEST_CASE("a floor from the anchor itself, or a per-author maximum, loses headers") {
    const auto proposed = measure(reading::proposed).lost;
    CHECK(measure(reading::own_floor).lost > 10 * (proposed + 1));
    CHECK(measure(reading::per_author).lost > 10 * (proposed + 1));
  }
}
