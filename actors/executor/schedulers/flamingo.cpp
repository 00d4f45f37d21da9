#include "actors/executor/schedulers/flamingo.hpp"

#include <algorithm>
#include <numeric>

namespace flamingo::executor {

namespace {

/// Accesses whose entries are on their way from memory while earlier ones are worked on: the map is
/// larger than a cache, and hardly two entries of a batch share a line.
constexpr std::size_t accesses_ahead = 24;

/// When a key was touched last, and by whom: the smaller, the later. Right while it is less than
/// 2^32 transactions ago, and the same in every executor in any case.
constexpr std::uint64_t never = ~std::uint64_t{0};
std::uint64_t last_touch(const partition_map::entry& x, std::uint32_t now) {
  return x.last_master == partition_map::nobody
             ? never
             : std::uint64_t{now - x.touched} << 8 | x.last_master;
}

}  // namespace

void flamingo_scheduler::start_batch(std::span<const std::uint16_t> costs,
                                     std::uint16_t executors) {
  executors_ = executors;
  for (std::uint16_t e = 0; e < executors; ++e)
    standing_[e] = standing_of(0, static_cast<std::uint8_t>(e));
  // Step 2: the capacity of an executor in this batch.
  const std::uint64_t total = std::accumulate(costs.begin(), costs.end(), std::uint64_t{0});
  full_ = (load_max - load_bound(total, executors, slack_per_mille_)) << 8;
}

void flamingo_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                  batch_plan& into) {
  const auto accesses = batch.accesses;
  into.order.clear();
  into.masters.resize(batch.ends.size());
  into.holders.resize(accesses.size());
  start_batch(batch.costs, map.executors());
  for (std::size_t i = 0; i < std::min(accesses_ahead, accesses.size()); ++i)
    map.prefetch(accesses[i].slot());
  std::uint32_t first = 0;
  for (std::size_t t = 0; t < batch.ends.size(); ++t) {
    const auto keys = accesses.subspan(first, batch.ends[t] - first);
    std::uint8_t* const holders = into.holders.data() + first;
    std::uint8_t differing = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (const std::size_t ahead = first + i + accesses_ahead; ahead < accesses.size())
        map.prefetch(accesses[ahead].slot());
      holders[i] = map.at(keys[i].slot()).owner;
      differing |= holders[i] ^ holders[0];
    }
    const std::uint32_t cost = batch.costs[t];
    const auto now = static_cast<std::uint32_t>(batch.first.value + t);
    std::uint8_t master = 0;
    if (differing != 0)
      master = best_voted(keys, holders, cost, now, map);
    else if (!keys.empty() && has_capacity(holders[0], cost))
      master = holders[0];  // step 3, the fast path: all keys are on one executor that has capacity
    else
      master = least_loaded();  // step 5: no voted executor has capacity
    into.masters[t] = master;
    standing_[master] -= std::uint64_t{cost} << 8;
    // Step 6: what is written is the master's from here on. (The overlay of the batch is the map
    // itself: nothing ever takes a plan back.)
    for (const slot_access key : keys) {
      partition_map::entry& x = map.at(key.slot());
      x.touched = now;
      x.last_master = master;
      x.owner = key.writes() ? master : x.owner;
    }
    first = batch.ends[t];
  }
}

std::uint8_t flamingo_scheduler::best_voted(std::span<const slot_access> keys,
                                            const std::uint8_t* holders, std::uint32_t cost,
                                            std::uint32_t now, const partition_map& map) const {
  // Step 1: a vote for the owner of each key; here two, so that affinity makes a difference of one.
  std::array<std::uint8_t, max_executors + 1> votes;
  for (std::uint16_t e = 0; e < executors_; ++e) votes[e] = 0;
  std::uint64_t latest = never;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    votes[holders[i]] = static_cast<std::uint8_t>(votes[holders[i]] + 2);
    latest = std::min(latest, last_touch(map.at(keys[i].slot()), now));
  }
  // Step 4: among executors with capacity and a vote the most votes, then affinity (the master of
  // the latest transaction that touched one of the keys), then lower load, then lower id. Step 5,
  // if there are none: lower load, then lower id.
  std::uint64_t best = 0;
  for (std::uint16_t e = 0; e < executors_; ++e) {
    const auto id = static_cast<std::uint8_t>(e);
    // Without branches: which of them have a vote and capacity is as good as random.
    const bool voted = static_cast<bool>((votes[e] != 0) & has_capacity(id, cost));
    const std::uint64_t preference = voted * (votes[e] + std::uint64_t{id == latest % 256});
    best = std::max(best, preference << 56 | standing_[e]);
  }
  return executor_of(best);
}

std::uint8_t flamingo_scheduler::least_loaded() const {
  std::uint64_t best = 0;
  for (std::uint16_t e = 0; e < executors_; ++e) best = std::max(best, standing_[e]);
  return executor_of(best);
}

}  // namespace flamingo::executor
