#include "actors/executor/schedulers/flamingo_paper.hpp"

namespace flamingo::executor {

namespace {

/// When a key was touched last, and by whom: the smaller, the later. Right while it is less than
/// 2^32 transactions ago, and the same in every executor in any case.
constexpr std::uint64_t never = ~std::uint64_t{0};
std::uint64_t last_touch(const partition_map::entry& x, std::uint32_t now) {
  return x.last_master == partition_map::nobody ? never
                                                : std::uint64_t{now - x.mark} << 8 | x.last_master;
}

}  // namespace

void flamingo_paper_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                        batch_plan& into) {
  const auto accesses = batch.accesses;
  into.order.clear();
  into.masters.resize(batch.ends.size());
  into.holders.resize(accesses.size());
  loads_.start(batch.costs, map.executors(), slack_per_mille_);  // step 2
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
    else if (!keys.empty() && loads_.has_capacity(holders[0], cost))
      master = holders[0];  // step 3, the fast path: all keys on one executor that has capacity
    else
      master = loads_.least();  // step 5: no voted executor has capacity
    into.masters[t] = master;
    loads_.add(master, cost);
    // Step 6: what is written is the master's from here on. (The overlay of the batch is the map
    // itself: nothing ever takes a plan back.)
    for (const slot_access key : keys) {
      partition_map::entry& x = map.at(key.slot());
      x.mark = now;
      x.last_master = master;
      x.owner = key.writes() ? master : x.owner;
    }
    first = batch.ends[t];
  }
}

std::uint8_t flamingo_paper_scheduler::best_voted(std::span<const slot_access> keys,
                                                  const std::uint8_t* holders, std::uint32_t cost,
                                                  std::uint32_t now,
                                                  const partition_map& map) const {
  // Step 1: a vote for the owner of each key; here two, so that affinity makes a difference of one.
  std::array<std::uint32_t, max_executors> votes;
  std::fill_n(votes.begin(), loads_.executors(), 0);
  std::uint64_t latest = never;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    votes[holders[i]] += 2;
    latest = std::min(latest, last_touch(map.at(keys[i].slot()), now));
  }
  // Step 4: among executors with capacity and a vote the most votes, then affinity (the master of
  // the latest transaction that touched one of the keys), then lower load, then lower id. Step 5,
  // if there are none: lower load, then lower id.
  std::uint64_t best = 0;
  for (std::uint16_t e = 0; e < loads_.executors(); ++e) {
    const auto id = static_cast<std::uint8_t>(e);
    // Without branches: which of them have a vote and capacity is as good as random.
    const bool voted = static_cast<bool>((votes[e] != 0) & loads_.has_capacity(id, cost));
    best =
        std::max(best, loads_.ranked(voted * (votes[e] + std::uint64_t{id == latest % 256}), id));
  }
  return batch_loads::executor_of(best);
}

}  // namespace flamingo::executor
