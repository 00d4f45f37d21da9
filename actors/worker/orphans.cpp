#include "actors/worker/orphans.hpp"

#include <algorithm>

namespace flamingo::worker {

void orphans::unfile(entry at) {
  const auto& [id, x] = *at;
  if (x.until) {
    by_end_.erase({*x.until, id});
  } else if (x.withdrawal == 0) {
    by_age_.erase({x.since, id});
  } else {
    auto& others = unanswered_.at(x.withdrawal);
    others.erase(id);
    if (others.empty()) unanswered_.erase(x.withdrawal);
  }
}

void orphans::watch(const digest& id, round_number anchor) {
  const auto [at, is_new] = watched_.try_emplace(id);
  if (!is_new) unfile(at);
  at->second = {anchor, 0, {}};
  by_age_.emplace(anchor, id);
}

void orphans::forget(const digest& id) {
  const auto at = watched_.find(id);
  if (at == watched_.end()) return;
  unfile(at);
  watched_.erase(at);
}

std::optional<batch_withdrawal> orphans::withdraw(round_number anchor) {
  batch_withdrawal out;
  while (!by_age_.empty() && out.batches.size() < withdrawn_at_once) {
    const auto [since, id] = *by_age_.begin();
    if (since + with_.age_rounds >= anchor) break;
    by_age_.erase(by_age_.begin());
    out.batches.push_back(id);
  }
  if (out.batches.empty()) return std::nullopt;
  out.number = ++withdrawals_;
  for (const digest& id : out.batches) watched_.at(id).withdrawal = out.number;
  unanswered_[out.number].insert(out.batches.begin(), out.batches.end());
  return out;
}

void orphans::noted(const withdrawal_noted& x, round_number anchor) {
  const auto found = unanswered_.find(x.number);
  if (found == unanswered_.end()) return;
  const std::set<digest> asked = std::move(found->second);
  unanswered_.erase(found);
  for (const digest& id : asked) {
    watched& one = watched_.at(id);
    if (std::find(x.kept.begin(), x.kept.end(), id) == x.kept.end()) {
      one.until = x.voted;
      by_end_.emplace(x.voted, id);
    } else {
      one = {anchor, 0, {}};
      by_age_.emplace(anchor, id);
    }
  }
}

std::vector<digest> orphans::take_dead(round_number anchor) {
  std::vector<digest> out;
  const auto is_over = [&](round_number until) {
#if FLAMINGO_MUTANT_orphan_deleted_at_once
    return true;
#endif
    return until + with_.gc_depth <= anchor;
  };
  while (!by_end_.empty() && is_over(by_end_.begin()->first)) {
    out.push_back(by_end_.begin()->second);
    watched_.erase(out.back());
    by_end_.erase(by_end_.begin());
  }
  return out;
}

}  // namespace flamingo::worker
