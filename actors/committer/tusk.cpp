#include "actors/committer/tusk.hpp"

#include <algorithm>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::committer {

namespace {

/// The order within a sub-DAG: by round, and within a round by author, beginning at one that the
/// anchor's digest names, so that no author is always first.
void sort_sub_dag(std::vector<ordered_header>& headers, const digest& anchor, std::size_t n) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < 8; ++i) number |= std::uint64_t{anchor.bytes[i]} << (8 * i);
  const std::uint64_t shift = number % n;
  const auto rank = [&](const ordered_header& x) {
    return std::pair(x.position.round, (x.position.author.value + shift) % n);
  };
  std::sort(headers.begin(), headers.end(),
            [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

/// Positions seen in a walk down from `top`, one flag each.
class seen_positions {
public:
  seen_positions(round_number top, std::size_t n) : top_(top), n_(n) {}

  /// True the first time.
  bool insert(dag_position x) {
    const std::size_t at = (top_.value - x.round.value) * n_ + x.author.value;
    if (at >= flags_.size()) flags_.resize(at + n_);
    return std::exchange(flags_[at], std::uint8_t{1}) == 0;
  }

private:
  round_number top_;
  std::size_t n_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace

tusk::tusk(const tusk_parameters& parameters, const log_head& head,
           const std::vector<ordered_header>& output)
    : parameters_(parameters), head_(head) {
  FLAMINGO_ASSERT(parameters.validators > 0);
  for (const ordered_header& x : output) {
    FLAMINGO_ASSERT(x.position.round > floor() && x.position.author.value < parameters.validators);
    auto& line = rows_.try_emplace(x.position.round, parameters.validators).first->second;
    line[x.position.author.value] = {true, true, x.id, {}, {}};
  }
}

round_number tusk::top() const {
  return rows_.empty() ? head_.anchor_round : rows_.rbegin()->first;
}

const tusk::slot* tusk::find(dag_position at) const {
  const auto line = rows_.find(at.round);
  if (line == rows_.end() || at.author.value >= parameters_.validators) return nullptr;
  const slot& found = line->second[at.author.value];
  return found.here ? &found : nullptr;
}

bool tusk::well_formed(const vertex& x) const {
  return std::all_of(x.weak_links.begin(), x.weak_links.end(), [&](const weak_link& link) {
    return link.position.round + 2 <= x.position.round &&
           link.position.author.value < parameters_.validators;
  });
}

/// Whose header the link leads to; nothing if it is not here.
std::optional<validator_id> tusk::author_of(const dag::link& to) const {
  const auto line = rows_.find(to.round);
  if (line == rows_.end()) return std::nullopt;
  for (std::uint16_t i = 0; i < line->second.size(); ++i)
    if (line->second[i].here && line->second[i].id == to.id &&
        to.leads_to({to.round, validator_id{i}}))
      return validator_id{i};
  return std::nullopt;
}

void tusk::resolve_links(const vertex& x, slot& into) const {
  dag::for_each_link(x.position.round, x.parents, x.weak_links, floor(), [&](const dag::link& to) {
    const auto author = author_of(to);
    FLAMINGO_ASSERT(author);  // whoever feeds us promised that ancestors came first
    if (to.is_parent())
      into.parents.push_back(*author);
    else
      into.weak_links.push_back({to.round, *author});
  });
}

tusk::taken tusk::add(const vertex& x) {
  if (x.position.author.value >= parameters_.validators) return taken::malformed;
  if (x.position.round <= floor()) return taken::dead;
  if (const slot* old = find(x.position)) {
    if (old->id != x.id) return taken::contradicted;
    return old->output ? taken::output : taken::known;
  }
  slot fresh{true, false, x.id, {}, {}};
  if (!well_formed(x)) return taken::malformed;
  resolve_links(x, fresh);
  auto& line = rows_.try_emplace(x.position.round, parameters_.validators).first->second;
  line[x.position.author.value] = std::move(fresh);
  return taken::added;
}

/// Support counts parents only: by the time the coin is known the parents of f+1 certificates of
/// round 2w are fixed, and every later leader has one of them in its history; a weak link proves
/// nothing of the kind.
bool tusk::supported(wave_number w, dag_position leader) const {
  const auto counts = [&](round_number r, auto&& links_leader) {
    const auto line = rows_.find(r);
    if (line == rows_.end()) return std::size_t{0};
    return static_cast<std::size_t>(
        std::count_if(line->second.begin(), line->second.end(),
                      [&](const slot& x) { return x.here && links_leader(x); }));
  };
  std::size_t support = counts(support_round(w), [&](const slot& x) {
    return std::find(x.parents.begin(), x.parents.end(), leader.author) != x.parents.end();
  });
#if FLAMINGO_MUTANT_support_counts_weak_links
  support += counts(coin_round(w), [&](const slot& x) {
    return std::find(x.weak_links.begin(), x.weak_links.end(), leader) != x.weak_links.end();
  });
#endif
  return support >= parameters_.validity;
}

/// Paths go over parents and weak links. What was output has no links here, and needs none: only
/// undecided leaders are asked for, and they are above everything that was output.
bool tusk::reaches(dag_position from, dag_position to) const {
  seen_positions seen(from.round, parameters_.validators);
  std::vector<dag_position> todo{from};
  while (!todo.empty()) {
    const dag_position at = todo.back();
    todo.pop_back();
    if (at == to) return true;
    const slot& x = *find(at);
    const auto visit = [&](dag_position next) {
      if (next.round >= to.round && next.round > floor() && seen.insert(next)) todo.push_back(next);
    };
    for (const validator_id parent : x.parents) visit({at.round - 1, parent});
    for (const dag_position link : x.weak_links) visit(link);
  }
  return false;
}

std::vector<ordered_header> tusk::history(dag_position anchor, round_number floor) const {
  seen_positions seen(anchor.round, parameters_.validators);
  std::vector<dag_position> todo{anchor};
  std::vector<ordered_header> result;
  while (!todo.empty()) {
    const dag_position at = todo.back();
    todo.pop_back();
    const slot& x = *find(at);
    result.push_back({at, x.id});
    const auto visit = [&](dag_position next) {
#if FLAMINGO_MUTANT_output_is_a_maximum
      for (auto line = rows_.upper_bound(next.round); line != rows_.end(); ++line)
        if (line->second[next.author.value].output) return;
#endif
      if (next.round > floor && seen.insert(next) && !find(next)->output) todo.push_back(next);
    };
    for (const validator_id parent : x.parents) visit({at.round - 1, parent});
    for (const dag_position link : x.weak_links) visit(link);
  }
  return result;
}

std::vector<sub_dag> tusk::commit(leader_rule& leaders) {
  for (wave_number w = wave_led_by(top()); w > head_.wave; w = w - 1) {
    auto chain = commit_wave(w, leaders);
    if (!chain.empty()) return chain;  // all waves up to the newest supported one are decided now
  }
  return {};
}

std::vector<sub_dag> tusk::commit_wave(wave_number w, leader_rule& leaders) {
  if (w <= head_.wave) return {};
  for (wave_number v = head_.wave + 1; v <= w; ++v) {
#if FLAMINGO_MUTANT_unknown_coins_are_skipped
    if (v < w) continue;
#endif
    if (!leaders.leader(v)) return {};
  }
  const auto leader_of = [&](wave_number v) {
    return dag_position{leader_round(v), *leaders.leader(v)};
  };
  const dag_position newest = leader_of(w);
  if (!find(newest) || !supported(w, newest)) return {};

  // The walk back: each leader is looked for in the history of the one that was found last.
  // Looking for it in the history of the newest one forks.
  std::vector<std::pair<wave_number, dag_position>> chain{{w, newest}};
  dag_position candidate = newest;
  for (wave_number v = w - 1; v > head_.wave; v = v - 1) {
#if FLAMINGO_MUTANT_unknown_coins_are_skipped
    if (!leaders.leader(v)) continue;
#endif
    const dag_position earlier = leader_of(v);
#if FLAMINGO_MUTANT_walk_back_from_top
    candidate = newest;
#endif
    if (!find(earlier) || !reaches(candidate, earlier)) continue;  // skipped for ever
    chain.emplace_back(v, earlier);
    candidate = earlier;
  }
  std::vector<sub_dag> result;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    result.push_back(emit(it->first, it->second));
  leaders.forget(head_.wave);
  return result;
}

/// Floors are a function of the log: the floor of a sub-DAG follows from the anchor before it.
sub_dag tusk::emit(wave_number w, dag_position anchor) {
  sub_dag result;
  result.anchor = find(anchor)->id;
  result.skipped_waves = w.value - head_.wave.value - 1;
  round_number lowest = floor();
#if FLAMINGO_MUTANT_floor_from_local_frontier
  lowest = std::max(lowest, top() - parameters_.gc_depth);
#endif
  result.output = history(anchor, lowest);
  sort_sub_dag(result.output, result.anchor, parameters_.validators);
  for (const ordered_header& x : result.output) {
    slot& done = rows_.at(x.position.round)[x.position.author.value];
    done.output = true;
    done.parents = {};
    done.weak_links = {};
  }
  head_ = {head_.index + 1, w, anchor.round};
  result.head = head_;
  result.next_floor = floor();
  const auto end = rows_.upper_bound(result.next_floor);
  for (auto line = rows_.begin(); line != end; ++line)
    for (std::uint16_t author = 0; author < line->second.size(); ++author)
      if (line->second[author].here && !line->second[author].output)
        result.died.push_back({line->first, validator_id{author}});
  rows_.erase(rows_.begin(), end);
  return result;
}

}  // namespace flamingo::committer
