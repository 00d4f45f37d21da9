// An executor when its group changes: at the end of a sub-DAG the homes of keys get all changes, as
// for a snapshot, and give each key to its home in the next group; who joins begins owning nothing,
// who leaves has handed over everything (design: execution-layer load balancing, "Scale out / in").
#include <algorithm>
#include <utility>

#include "actors/executor/executor.hpp"

namespace flamingo::executor {

/// Changes the group if the next sub-DAG is another one's, and passes over those that are not ours.
void core::follow_group(effects& out) {
  while (const execution_group* next = assembly_.next_group()) {
    // Nothing that was begun may be open, a snapshot least of all.
    if (snapshot_due() || executed_ + 1 != assembly_.next()) return;
    if (next->executors != group_.executors && !change_group(execution_group(*next), out)) return;
    if (is_member()) return;
    const assembled_sub_dag passed = assembly_.take();
    group_ = passed.group;
    executed_ = passed.index;
  }
}

/// @returns whether it is done.
bool core::change_group(const execution_group& next, effects& out) {
  if (is_member()) {
    // The snapshot before is the old group's: who joins counts as having it, who leaves may end.
    if (!group_has_snapshot(snapshot_taken_) || !gather_home_changes(executed_, out)) return false;
    if (!std::exchange(handed_over_, true)) {
      for (pushed_to& x : execution_.handovers(next)) {
        x.values.snapshots = snapshots_;
        held_.pushed.push_back(std::move(x));
      }
      holding_ = false;  // the others wait for it
    }
  }
  if (next.has(self())) {
    if (!handovers_complete(next)) return false;
    take_handovers(next, out);
  }
  handovers_.erase(handovers_.begin(), handovers_.upper_bound(next.version));
  handed_over_ = false;
  execution_.regroup(next);
  group_ = next;
  tell_ = true;
  // All of them executed what was before, and have the snapshot before.
  for (peer& x : peers_)
    x = {std::max(x.executed, executed_), std::max(x.snapshot, snapshot_taken_)};
  return true;
}

void core::keep_handover(pushed_values from) {
  if (from.handover <= group_.version || from.part >= from.parts) return;
  handovers_[from.handover][from.from.value].try_emplace(from.part, std::move(from));
}

bool core::handovers_complete(const execution_group& next) const {
  const auto found = handovers_.find(next.version);
  bool all = true;
  each_other([&](std::uint16_t i) {
    if (found == handovers_.end()) return void(all = false);
    const auto from = found->second.find(i);
    all = all && from != found->second.end() &&
          from->second.size() == from->second.begin()->second.parts;
  });
  return all;
}

void core::take_handovers(const execution_group& next, effects& out) {
  for (const auto& [from, all] : handovers_[next.version])
    for (const auto& [part, x] : all) {
      if (!execution_.take_handover(x)) out.rejected.push_back(reject::malformed);
      if (is_member()) continue;
      snapshots_ = x.snapshots;
      snapshot_taken_ = durable_ = x.snapshot;
      homes_at_ = executed_;
    }
}

}  // namespace flamingo::executor
