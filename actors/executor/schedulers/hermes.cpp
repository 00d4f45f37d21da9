#include "actors/executor/schedulers/hermes.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::executor {

namespace {

constexpr int refinements_max = 16;  // rounds over the batch; two or three change anything

}  // namespace

void hermes_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                batch_plan& into) {
  read_batch(batch, map);
  into.masters.resize(batch.ends.size());
  into.order.resize(batch.ends.size());
  order_and_route(into.order, into.masters);
  list_touches(into.order);
  find_sources();
  unload(into.order, into.masters);
  refine(into.order, into.masters);
  hand_out(map, into);
}

void hermes_scheduler::read_batch(const execution_batch& batch, const partition_map& map) {
  batch_ = batch;
  executors_ = map.executors();
  load_.fill(0);
  bound_ = load_bound(std::accumulate(batch.costs.begin(), batch.costs.end(), std::uint64_t{0}),
                      executors_, slack_per_mille_);
  if (key_of_slot_.size() < map.slots()) key_of_slot_.resize(map.slots(), none);
  keys_.clear();
  accesses_.clear();
  std::uint32_t a = 0;
  for (std::uint32_t t = 0; t < batch.ends.size(); ++t)
    for (; a < batch.ends[t]; ++a) {
      const std::uint32_t slot = batch.accesses[a].slot();
      std::uint32_t& at = key_of_slot_[slot];
      if (at == none) {
        at = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back({slot, 0, 0, map.owner(slot), map.owner(slot)});
      }
      accesses_.push_back({t, at, none, 0, batch.accesses[a].writes()});
    }
  for (const key& x : keys_) key_of_slot_[x.slot] = none;
}

/// The accesses of each key, in the order in which the transactions run; all of them in the batch's
/// order if none is given.
void hermes_scheduler::list_touches(std::span<const std::uint32_t> order) {
  touches_.resize(accesses_.size());
  for (key& x : keys_) x.first = x.end = 0;
  for (const access& x : accesses_) ++keys_[x.key].end;
  std::uint32_t next = 0;
  for (key& x : keys_) {
    const std::uint32_t count = x.end;
    x.first = x.end = next;
    next += count;
  }
  for (std::uint32_t i = 0; i < batch_.ends.size(); ++i) {
    const std::uint32_t t = order.empty() ? i : order[i];
    for (std::uint32_t a = t == 0 ? 0 : batch_.ends[t - 1]; a < batch_.ends[t]; ++a) {
      accesses_[a].place = keys_[accesses_[a].key].end++;
      touches_[accesses_[a].place] = a;
    }
  }
}

// -- step 1

void hermes_scheduler::order_and_route(std::vector<std::uint32_t>& order,
                                       std::vector<std::uint8_t>& masters) {
  const std::size_t count = batch_.ends.size();
  list_touches({});
  votes_.assign(count * executors_, 0);
  remote_.assign(count, 0);
  routed_.assign(count, 0);
  std::size_t most_keys = 0;
  for (std::uint32_t t = 0; t < count; ++t) {
    for (const access& x : accesses_of(t)) ++votes_[t * executors_ + keys_[x.key].owner];
    most_keys = std::max(most_keys, accesses_of(t).size());
  }
  words_ = (count + 63) / 64;
  waiting_.assign((most_keys + 1) * words_, 0);
  for (std::uint32_t t = 0; t < count; ++t) wait_with(t);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t t = take_next();
    const std::uint8_t master = most_voted(t);
    order[i] = t;
    masters[t] = master;
    load_[master] += batch_.costs[t];
    for (const access& x : accesses_of(t))
      if (x.writes && keys_[x.key].owner != master) move_key(x.key, master);
  }
}

/// Files a transaction under the remote reads that it has at its best executor.
void hermes_scheduler::wait_with(std::uint32_t t) {
  const std::uint8_t* const votes = votes_.data() + std::size_t{t} * executors_;
  const std::uint8_t most = *std::max_element(votes, votes + executors_);
  const std::uint64_t bit = std::uint64_t{1} << t % 64;
  waiting_[remote_[t] * words_ + t / 64] &= ~bit;
  remote_[t] = static_cast<std::uint8_t>(accesses_of(t).size() - most);
  waiting_[remote_[t] * words_ + t / 64] |= bit;
}

std::uint32_t hermes_scheduler::take_next() {
  const auto word = std::find_if(waiting_.begin(), waiting_.end(), [](auto w) { return w != 0; });
  FLAMINGO_ASSERT(word != waiting_.end());
  const auto at = static_cast<std::size_t>(word - waiting_.begin()) % words_;
  const auto t = static_cast<std::uint32_t>(64 * at + std::countr_zero(*word));
  *word &= *word - 1;
  routed_[t] = 1;
  return t;
}

std::uint8_t hermes_scheduler::most_voted(std::uint32_t t) const {
  const std::uint8_t* const votes = votes_.data() + std::size_t{t} * executors_;
  std::uint8_t best = 0;
  for (std::uint16_t e = 1; e < executors_; ++e)
    if (votes[e] > votes[best] || (votes[e] == votes[best] && load_[e] < load_[best]))
      best = static_cast<std::uint8_t>(e);
  return best;
}

void hermes_scheduler::move_key(std::uint32_t which, std::uint8_t to) {
  key& x = keys_[which];
  const std::uint8_t from = std::exchange(x.owner, to);
  for (std::uint32_t i = x.first; i < x.end; ++i) {
    const std::uint32_t t = accesses_[touches_[i]].transaction;
    if (routed_[t]) continue;
    --votes_[std::size_t{t} * executors_ + from];
    ++votes_[std::size_t{t} * executors_ + to];
    wait_with(t);
  }
}

// -- steps 2 and 3

void hermes_scheduler::find_sources() {
  for (const key& x : keys_) {
    std::uint32_t writer = none;
    for (std::uint32_t i = x.first; i < x.end; ++i) {
      accesses_[touches_[i]].source = writer;
      if (accesses_[touches_[i]].writes) writer = touches_[i];
    }
  }
}

/// For each executor, how many reads would be local if the transaction ran there: of its own
/// inputs, and of who needs what it writes. Everything else does not depend on where it runs.
void hermes_scheduler::tally(std::uint32_t t, std::span<const std::uint8_t> masters,
                             tallies& local) const {
  std::fill_n(local.begin(), executors_, 0);
  for (const access& x : accesses_of(t)) {
    const key& touched = keys_[x.key];
    ++local[x.source == none ? touched.holder : masters[accesses_[x.source].transaction]];
    if (!x.writes) continue;
    for (std::uint32_t i = x.place + 1; i < touched.end; ++i) {
      const access& reader = accesses_[touches_[i]];
      ++local[masters[reader.transaction]];
      if (reader.writes) break;
    }
  }
}

/// The executor with the most local reads among the others that have room, or `now`.
std::uint8_t hermes_scheduler::best_with_room(std::uint32_t t, std::uint8_t now,
                                              const tallies& local) const {
  std::uint8_t best = now;
  for (std::uint16_t e = 0; e < executors_; ++e) {
    if (e == now || load_[e] + batch_.costs[t] > bound_) continue;
    if (best == now || local[e] > local[best] ||
        (local[e] == local[best] && load_[e] < load_[best]))
      best = static_cast<std::uint8_t>(e);
  }
  return best;
}

void hermes_scheduler::reroute(std::uint32_t t, std::uint8_t to,
                               std::vector<std::uint8_t>& masters) {
  load_[masters[t]] -= batch_.costs[t];
  load_[to] += batch_.costs[t];
  masters[t] = to;
}

void hermes_scheduler::unload(std::span<const std::uint32_t> order,
                              std::vector<std::uint8_t>& masters) {
  tallies local;
  for (std::uint32_t added_max = 0;;) {
    bool moved = false;
    std::uint32_t least_refused = none;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::uint32_t t = order[i];
      const std::uint8_t now = masters[t];
      if (load_[now] <= bound_) continue;
      tally(t, masters, local);
      const std::uint8_t best = best_with_room(t, now, local);
      if (best == now) continue;
      const std::uint32_t added = local[now] - std::min(local[now], local[best]);
      if (added > added_max) {
        least_refused = std::min(least_refused, added);
        continue;
      }
      reroute(t, best, masters);
      moved = true;
    }
    // Nothing was refused: nobody is above the bound, or what is there fits nowhere.
    if (least_refused == none) return;
    added_max = moved ? added_max + 1 : std::max(added_max + 1, least_refused);
  }
}

void hermes_scheduler::refine(std::span<const std::uint32_t> order,
                              std::vector<std::uint8_t>& masters) {
  tallies local;
  bool moved = true;
  for (int round = 0; moved && round < refinements_max; ++round) {
    moved = false;
    for (const std::uint32_t t : order) {
      tally(t, masters, local);
      const std::uint8_t best = best_with_room(t, masters[t], local);
      if (local[best] <= local[masters[t]]) continue;
      reroute(t, best, masters);
      moved = true;
    }
  }
}

void hermes_scheduler::hand_out(partition_map& map, batch_plan& into) {
  into.holders.resize(accesses_.size());
  for (key& x : keys_) x.owner = x.holder;
  for (const std::uint32_t t : into.order)
    for (const access& x : accesses_of(t)) {
      key& touched = keys_[x.key];
      into.holders[static_cast<std::size_t>(&x - accesses_.data())] = touched.owner;
      if (x.writes) touched.owner = into.masters[t];
    }
  for (const key& x : keys_) map.at(x.slot).owner = x.owner;
}

}  // namespace flamingo::executor
