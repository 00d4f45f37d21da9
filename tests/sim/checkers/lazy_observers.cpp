#include "tests/sim/checkers/lazy_observers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "actors/committer/leaders/coin.hpp"
#include "actors/committer/tusk.hpp"
#include "crypto/hash.hpp"
#include "tests/sim/random.hpp"

namespace flamingo::sim::checkers {

namespace {

using committer::sub_dag;
using committer::tusk;
using committer::vertex;

/// One observer: knows the certificates of the run little by little.
class observer {
public:
  observer(const history& run, const leader_function& leader, std::uint64_t seed)
      : run_(run),
        leader_(leader),
        random_(seed),
        leaders_(run.validators),
        rule_({run.validators, run.validity(), run.protocol.gc_depth}, {}, {}),
        evaluate_per_mille_(pick({1000, 200, 50, 5})) {}

  /// Learns certificates in an order close to `order`, at most `lag` of them out of it.
  void learn(std::vector<digest> order, std::size_t lag) {
    std::reverse(order.begin(), order.end());  // the next ones are at the back
    while (!order.empty() && !broken_) {
      const std::size_t reach = std::min(order.size(), lag);
      const std::size_t at = order.size() - 1 - random_.below(reach);
      std::swap(order[at], order.back());
      const digest next = order.back();
      order.pop_back();
      add_with_ancestors(next);
      if (random_.chance(evaluate_per_mille_)) evaluate();
    }
    settle();
  }

  const std::vector<sub_dag>& log() const { return log_; }
  const std::string& broken() const { return broken_text_; }

private:
  unsigned pick(std::initializer_list<unsigned> from) {
    return *(from.begin() + random_.below(from.size()));
  }

  bool wanted(const digest& id, round_number round) const {
    return round > rule_.floor() && !added_.contains(id);
  }

  /// Adds what it links first. A link to what nobody certified, or to what stands elsewhere, was at
  /// or below the floors of those who voted, so the observer, which is behind them, must commit its
  /// way up to there before it can go on.
  void add_with_ancestors(const digest& id) {
    std::vector<digest> path{id};
    while (!path.empty() && !broken_) {
      const auto found = run_.certified.find(path.back());
      if (found == run_.certified.end()) return;
      const header& x = found->second.hdr;
      if (!wanted(x.id, x.round)) {
        path.pop_back();
        continue;
      }
      const std::size_t before = path.size();
      bool leads_nowhere = false;
      dag::for_each_link(x.round, x.parents, x.weak_links, rule_.floor(), [&](const dag::link& to) {
        const auto target = run_.certified.find(to.id);
        if (target == run_.certified.end() || !to.leads_to(target->second.hdr.position()))
          leads_nowhere = true;
        else if (!added_.contains(to.id))
          path.push_back(to.id);
      });
      if (leads_nowhere) return given_up_.push_back(id);
      if (path.size() != before) continue;
      add(x);
      path.pop_back();
    }
  }

  void add(const header& x) {
    added_.insert(x.id);
    top_ = std::max(top_, x.round);
    const auto result = rule_.add({x.id, x.position(), x.parents, x.weak_links});
    if (result != tusk::taken::contradicted && result != tusk::taken::malformed) return;
    broken_ = true;
    broken_text_ = "the rule refuses header " + short_name(x.id) + " of " + name_of(x.author) +
                   ", round " + std::to_string(x.round.value);
  }

  /// All that can be committed with what it has learned.
  void settle() {
    for (std::optional<round_number> before; before != rule_.floor() && !broken_;) {
      before = rule_.floor();
      for (const digest& id : std::exchange(given_up_, {})) add_with_ancestors(id);
      tell_leaders();
      keep(rule_.commit(leaders_));
    }
  }

  /// Any wave at any time: the chain must not depend on which.
  void evaluate() {
    tell_leaders();
    if (!random_.chance(300)) return keep(rule_.commit(leaders_));
    const auto undecided = 1 + (top_.value - rule_.head().anchor_round.value) / 2;
    keep(rule_.commit_wave(rule_.head().wave + random_.between(1, undecided), leaders_));
  }
  void tell_leaders() {
    for (wave_number w = rule_.head().wave + 1; leader_round(w) <= top_; ++w)
      if (leaders_.wants_coin(w)) leaders_.coin_known(w, leader_(w).value);
  }
  void keep(std::vector<sub_dag> chain) {
    log_.insert(log_.end(), std::make_move_iterator(chain.begin()),
                std::make_move_iterator(chain.end()));
  }

  const history& run_;
  const leader_function& leader_;
  random_source random_;
  committer::coin_leaders leaders_;
  tusk rule_;
  unsigned evaluate_per_mille_;
  std::set<digest> added_;
  std::vector<digest> given_up_;  // for now: the floor has to rise first
  round_number top_;
  std::vector<sub_dag> log_;
  bool broken_ = false;
  std::string broken_text_;
};

/// All certificates by round, those of a round in any order.
std::vector<digest> by_round(const history& run, random_source& random) {
  std::vector<std::tuple<round_number, std::uint64_t, digest>> all;
  for (const auto& [id, x] : run.certified) all.emplace_back(x.hdr.round, random.next(), id);
  std::sort(all.begin(), all.end());
  std::vector<digest> order;
  for (const auto& [round, rank, id] : all) order.push_back(id);
  return order;
}

/// The batches that a sub-DAG outputs, in order.
std::vector<digest> batches_of(const history& run, const sub_dag& x) {
  std::vector<digest> out;
  for (const auto& y : x.output)
    for (const auto& entry : run.certified.at(y.id).hdr.payload) out.push_back(entry.batch);
  return out;
}

/// The chain over sub-DAGs after one more: every header that was output, in its place.
digest next_chain(const digest& before, const sub_dag& x) {
  crypto::hasher hasher(crypto::tags::sub_dag);
  hasher.update(before).number(x.head.index).update(x.anchor);
  for (const auto& y : x.output) hasher.update(y.id);
  return hasher.finish();
}

std::string difference(const history& run, const sub_dag& seen, const digest& chain,
                       const commit_record& log) {
  const std::string where = "commit " + std::to_string(seen.head.index.value) + ": ";
  if (seen.anchor != log.stream.anchor)
    return where + "it commits anchor " + short_name(seen.anchor) + " of round " +
           std::to_string(seen.head.anchor_round.value) + ", the log " +
           short_name(log.stream.anchor) + " of round " +
           std::to_string(log.stream.anchor_round.value);
  std::vector<digest> batches;
  for (const auto& x : log.stream.batches) batches.push_back(x.id);
  if (batches_of(run, seen) != batches)
    return where + "it outputs " + std::to_string(batches_of(run, seen).size()) +
           " batches, the log " + std::to_string(batches.size()) + " or others";
  if (chain != log.stream.chain)
    return where + "it outputs other headers than the log, or in another order";
  return {};
}

/// What an observer saw otherwise than the log; empty: nothing.
std::string first_difference(const history& run, const std::vector<sub_dag>& seen) {
  const auto& log = run.longest().commits;
  digest chain;
  for (const auto& x : seen) {
    const auto found = log.find(x.head.index);
    if (found == log.end()) break;
    chain = next_chain(chain, x);
    auto text = difference(run, x, chain, found->second);
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace

violations lazy_observers(const history& run, const leader_function& leader, std::uint64_t seed,
                          unsigned observers) {
  violations out;
  random_source random(seed);
  const auto& log = run.longest().commits;
  for (unsigned i = 0; i < observers; ++i) {
    const auto views = random.below(2) == 0 ? run.validators : 0;
    const auto view = views ? random.below(views) : 0;
    const bool own_order = views && run.of[view].honest;
    observer watching(run, leader, random.next());
    watching.learn(own_order ? run.of[view].certified : by_round(run, random),
                   1 + random.below(20 * run.validators));
    const std::string who = "observer " + std::to_string(i);
    if (!watching.broken().empty())
      out.push_back({"lazy observers", who + ": " + watching.broken()});
    const auto text = first_difference(run, watching.log());
    if (!text.empty()) out.push_back({"lazy observers", who + ": " + text});
    // Whoever knows all that anybody knows has committed at least as much.
    if (!own_order && watching.broken().empty() && watching.log().size() < log.size())
      out.push_back({"lazy observers", who + " knows everything and commits " +
                                           std::to_string(watching.log().size()) + " of " +
                                           std::to_string(log.size()) + " sub-DAGs"});
  }
  return out;
}

}  // namespace flamingo::sim::checkers
