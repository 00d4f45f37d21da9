// Batches for the tests of schedulers.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::executor::test {

struct transaction {
  std::vector<slot_access> keys;
  std::uint16_t cost = 1;
};
using batch = std::vector<transaction>;

inline batch random_batch(std::mt19937_64& rng, std::size_t count, std::uint32_t slots,
                          unsigned max_keys, std::uint16_t max_cost) {
  batch out(count);
  for (auto& t : out) {
    t.cost = static_cast<std::uint16_t>(1 + rng() % max_cost);
    for (auto keys = rng() % (max_keys + 1); keys > 0; --keys) {
      const auto slot = static_cast<std::uint32_t>(rng() % 3 == 0 ? rng() % 5 : rng() % slots);
      const auto same = [&](slot_access x) { return x.slot() == slot; };
      if (std::none_of(t.keys.begin(), t.keys.end(), same))
        t.keys.emplace_back(slot, rng() % 2 == 0);
    }
  }
  return out;
}

/// A batch as a scheduler sees it.
struct flat_batch {
  std::vector<slot_access> accesses;
  std::vector<std::uint32_t> ends;
  std::vector<std::uint16_t> costs;
  explicit flat_batch(const batch& from) {
    for (const auto& t : from) {
      accesses.insert(accesses.end(), t.keys.begin(), t.keys.end());
      ends.push_back(static_cast<std::uint32_t>(accesses.size()));
      costs.push_back(t.cost);
    }
  }
  execution_batch at(std::uint64_t position) const {
    return {stream_position{position}, accesses, ends, costs};
  }
};

/// Half of the keys, or more, start at executor 0.
inline partition_map uneven_map(std::uint16_t executors, std::uint32_t slots,
                                std::mt19937_64& rng) {
  partition_map map(executors);
  for (std::uint32_t slot = 0; slot < slots; ++slot)
    map.add(static_cast<std::uint16_t>(rng() % 2 == 0 ? 0 : rng()));
  return map;
}

inline std::vector<std::uint8_t> owners_in(const partition_map& map) {
  std::vector<std::uint8_t> out;
  for (std::uint32_t slot = 0; slot < map.slots(); ++slot) out.push_back(map.owner(slot));
  return out;
}

/// Whether a plan in the committed order says that the holder of each value is who wrote it last,
/// or its owner before the batch, and the map after it the same.
/// @param owners before the batch; after it, what the map must say.
inline bool values_are_where_it_says(const batch& transactions, const batch_plan& plan,
                                     const partition_map& map, std::vector<std::uint8_t>& owners) {
  bool right = true;
  std::size_t a = 0;
  for (std::size_t t = 0; t < transactions.size(); ++t)
    for (const slot_access key : transactions[t].keys) {
      right = right && plan.holders.at(a++) == owners.at(key.slot());
      if (key.writes()) owners[key.slot()] = plan.masters.at(t);
    }
  return right && a == plan.holders.size() && owners_in(map) == owners;
}

/// Keys that a transaction needs and that are not at its master.
inline std::uint64_t remote_reads(const flat_batch& x, const batch_plan& plan) {
  std::uint64_t count = 0;
  std::uint32_t a = 0;
  for (std::size_t t = 0; t < x.ends.size(); ++t)
    for (; a < x.ends[t]; ++a) count += plan.holders[a] != plan.masters[t];
  return count;
}

}  // namespace flamingo::executor::test
