#include "actors/executor/schedulers/flamingo.hpp"

#include <algorithm>
#include <numeric>

namespace flamingo::executor {

namespace {

/// Whether position a is after b, by their low bits: right while they lie less than 2^31 apart, and
/// the same in every executor in any case.
bool later(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

}  // namespace

void flamingo_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                  batch_plan& into) {
  const std::size_t count = batch.ends.size();
  into.order.clear();
  into.masters.resize(count);
  into.holders.resize(batch.accesses.size());
  executors_ = map.executors();
  std::fill_n(load_.begin(), executors_, 0);
  // Step 2: the capacity of an executor in this batch.
  const std::uint64_t total =
      std::accumulate(batch.costs.begin(), batch.costs.end(), std::uint64_t{0});
  capacity_ = load_bound(total, executors_, slack_per_mille_);

  std::uint32_t first = 0;
  for (std::size_t t = 0; t < count; ++t) {
    const std::uint32_t last = batch.ends[t];
    const auto keys = batch.accesses.subspan(first, last - first);
    std::uint8_t* const holders = into.holders.data() + first;
    bool together = true;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      holders[i] = map.at(keys[i].slot()).owner;
      together = together && holders[i] == holders[0];
    }
    // Step 3, the fast path: all keys are on one executor that has capacity.
    const std::uint32_t cost = batch.costs[t];
    const std::uint8_t master = !keys.empty() && together && has_capacity(holders[0], cost)
                                    ? holders[0]
                                    : master_of(keys, holders, cost, map);
    into.masters[t] = master;
    load_[master] += cost;
    // Step 6: what is written is the master's from here on. (The overlay of the batch is the map
    // itself: nothing ever takes a plan back.)
    const auto position = static_cast<std::uint32_t>(batch.first.value + t);
    for (const slot_access key : keys) {
      partition_map::entry& x = map.at(key.slot());
      x.touched = position;
      x.last_master = master;
      if (key.writes()) x.owner = master;
    }
    first = last;
  }
}

std::uint8_t flamingo_scheduler::master_of(std::span<const slot_access> keys,
                                           const std::uint8_t* holders, std::uint32_t cost,
                                           partition_map& map) const {
  // Step 1: a vote for the owner of each key.
  std::array<std::uint8_t, max_executors> votes;
  std::fill_n(votes.begin(), executors_, std::uint8_t{0});
  for (std::size_t i = 0; i < keys.size(); ++i) ++votes[holders[i]];
  // Step 4: the most votes among executors with capacity and a vote.
  std::uint8_t most = 0;
  for (std::uint16_t e = 0; e < executors_; ++e)
    if (votes[e] > most && has_capacity(static_cast<std::uint8_t>(e), cost)) most = votes[e];
  // Step 5: no voted executor has capacity.
  if (most == 0) return least_loaded();
  const auto tied = [&](std::uint8_t e) { return votes[e] == most && has_capacity(e, cost); };
  // Ties: the master of the latest earlier transaction that touched one of the keys,
  const partition_map::entry* latest = nullptr;
  for (const slot_access key : keys) {
    const partition_map::entry& x = map.at(key.slot());
    if (x.last_master == partition_map::nobody) continue;
    if (!latest || later(x.touched, latest->touched)) latest = &x;
  }
  if (latest && tied(latest->last_master)) return latest->last_master;
  // then lower load, then lower id.
  std::uint16_t best = executors_;
  for (std::uint16_t e = 0; e < executors_; ++e)
    if (tied(static_cast<std::uint8_t>(e)) && (best == executors_ || load_[e] < load_[best]))
      best = e;
  return static_cast<std::uint8_t>(best);
}

std::uint8_t flamingo_scheduler::least_loaded() const {
  return static_cast<std::uint8_t>(std::min_element(load_.begin(), load_.begin() + executors_) -
                                   load_.begin());
}

}  // namespace flamingo::executor
