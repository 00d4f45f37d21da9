#include "actors/worker/orphans.hpp"

#include <algorithm>

namespace flamingo::worker {

void orphans::unfile(entry at) {
  const auto& [id, x] = *at;
  if (x.until) {
    by_end_.erase({*x.until, id});
  } else if (x.withdrawal == 0) {
    by_due_.erase({x.due, id});
  } else {
    auto& others = unanswered_.at(x.withdrawal).batches;
    others.erase(id);
    if (others.empty()) unanswered_.erase(x.withdrawal);
  }
}

void orphans::file(const digest& id, round_number due) {
  const auto [at, is_new] = watched_.try_emplace(id);
  if (!is_new) unfile(at);
  at->second = {due, 0, {}};
  by_due_.emplace(due, id);
}

void orphans::watch(const digest& id, round_number anchor) {
  file(id, anchor + with_.age_rounds);
}

void orphans::watch_output(const digest& id) {
  file(id, {});
}

void orphans::found_at(round_number anchor) {
  std::vector<digest> older;
  for (const auto& [due, id] : by_due_)
    if (due > round_number{} && due < anchor + with_.age_rounds) older.push_back(id);
  for (const digest& id : older) watch(id, anchor);
}

std::optional<batch_withdrawal> orphans::withdraw(round_number anchor) {
  batch_withdrawal out;
  while (!by_due_.empty() && out.batches.size() < withdrawn_at_once) {
    const auto [due, id] = *by_due_.begin();
    if (due >= anchor) break;
    by_due_.erase(by_due_.begin());
    out.batches.push_back(id);
  }
  if (out.batches.empty()) return std::nullopt;
  out.number = ++withdrawals_;
  for (const digest& id : out.batches) watched_.at(id).withdrawal = out.number;
  unanswered_[out.number].batches.insert(out.batches.begin(), out.batches.end());
  return out;
}

void orphans::noted(const withdrawal_noted& x, round_number anchor) {
  for (const digest& id : x.kept)
    if (const auto at = unanswered_.find(x.number);
        at != unanswered_.end() && at->second.batches.contains(id))
      watch(id, anchor);
  const auto found = unanswered_.find(x.number);
  if (found == unanswered_.end()) return;
  asked& of = found->second;
  (x.by_committer ? of.by_committer : of.by_primary) = true;
  of.until = std::max(of.until, x.until);
#if FLAMINGO_MUTANT_given_up_behind_the_committer
  of.by_committer = true;
#endif
  if (!of.by_primary || !of.by_committer) return;
  for (const digest& id : of.batches) {
    watched_.at(id).until = of.until;
    by_end_.emplace(of.until, id);
  }
  unanswered_.erase(found);
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
