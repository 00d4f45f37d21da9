#include "actors/executor/schedulers/flamingo.hpp"

namespace flamingo::executor {

void flamingo_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                  batch_plan& into) {
  into.order.clear();
  into.masters.resize(batch.ends.size());
  into.holders.resize(batch.accesses.size());
  accesses_.resize(batch.accesses.size() + 1);
  crosses_.assign(batch.ends.size(), 0);
  stirred_.assign(batch.ends.size(), 0);
  moved_.assign(batch.ends.size(), 0);
  loads_.start(batch.costs, map.executors(), slack_per_mille_);  // step 2
  place(batch, map, into);
  list_marked(crosses_, considered_);
  for (const std::uint32_t t : considered_) reconsider(t, batch, into);
  list_marked(stirred_, considered_);
  for (const std::uint32_t t : considered_) reconsider(t, batch, into);
  list_marked(moved_, considered_);
  for (const std::uint32_t t : considered_) settle(t, batch, map, into);
}

void flamingo_scheduler::list_marked(const std::vector<std::uint8_t>& marks,
                                     std::vector<std::uint32_t>& into) {
  into.resize(marks.size());
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < marks.size(); ++t) {
    // Without branches: which of them are marked is as good as random.
    into[count] = t;
    count += marks[t];
  }
  into.resize(count);
}

inline void flamingo_scheduler::link(std::uint32_t number, slot_access key,
                                     std::uint32_t transaction, partition_map::entry& x) {
  accesses_[number] = {key, transaction, 0, 0};
  // Of the batches before there are marks, too; but who has the key in this batch marks it anew.
  const bool touched = x.mark != 0 && x.mark < number && accesses_[x.mark].key.slot() == key.slot();
  if (touched) {
    access& before = accesses_[x.mark];
    before.next = number;
    accesses_[number].source = before.key.writes() ? x.mark : before.source;
  }
  x.mark = number;
}

/// Steps 1 to 6. The overlay of the batch is the map itself.
void flamingo_scheduler::place(const execution_batch& batch, partition_map& map, batch_plan& into) {
  const auto keys = batch.accesses;
  for (std::size_t i = 0; i < std::min(accesses_ahead, keys.size()); ++i)
    map.prefetch(keys[i].slot());
  std::uint32_t first = 0;
  for (std::uint32_t t = 0; t < batch.ends.size(); ++t) {
    const std::uint32_t end = batch.ends[t];
    std::uint8_t differing = 0;
    for (std::uint32_t a = first; a < end; ++a) {
      if (const std::size_t ahead = a + accesses_ahead; ahead < keys.size())
        map.prefetch(keys[ahead].slot());
      partition_map::entry& x = map.at(keys[a].slot());
      link(a + 1, keys[a], t, x);
      into.holders[a] = x.owner;
      differing |= x.owner ^ into.holders[first];
    }
    const std::span<const std::uint8_t> holders{into.holders.data() + first, end - first};
    const std::uint32_t cost = batch.costs[t];
    std::uint8_t master = 0;
    if (differing != 0)
      master = best_voted(holders, cost);
    else if (!holders.empty() && loads_.has_capacity(holders[0], cost))
      master = holders[0];  // step 3, the fast path: all keys on one executor that has capacity
    else
      master = loads_.least();  // step 5: no voted executor has capacity
    into.masters[t] = master;
    loads_.add(master, cost);
    // Step 6: what is written is the master's from here on.
    accesses_[0].transaction = t;  // what has no source in the batch marks itself, without a branch
    for (std::uint32_t a = first; a < end; ++a) {
      std::uint8_t& owner = map.at(keys[a].slot()).owner;
      owner = keys[a].writes() ? master : owner;
      const std::uint8_t crosses = into.holders[a] != master;
      crosses_[t] |= crosses;
      crosses_[accesses_[accesses_[a + 1].source].transaction] |= crosses;
    }
    first = end;
  }
}

std::uint8_t flamingo_scheduler::best_voted(std::span<const std::uint8_t> holders,
                                            std::uint32_t cost) const {
  // Step 1: a vote for the owner of each key.
  std::array<std::uint32_t, max_executors> votes;
  std::fill_n(votes.begin(), loads_.executors(), 0);
  for (const std::uint8_t holder : holders) ++votes[holder];
  // Step 4: among executors with capacity and a vote the most votes, then lower load, then lower
  // id. Step 5, if there are none: lower load, then lower id.
  std::uint64_t best = 0;
  for (std::uint16_t e = 0; e < loads_.executors(); ++e) {
    const auto id = static_cast<std::uint8_t>(e);
    // Without branches: which of them have capacity is as good as random.
    best = std::max(best, loads_.ranked(votes[e] * loads_.has_capacity(id, cost), id));
  }
  return batch_loads::executor_of(best);
}

/// Calls f(number) for each access that needs what this one leaves of the key.
template <class F>
void flamingo_scheduler::each_reader(std::uint32_t number, F&& f) const {
  for (std::uint32_t i = accesses_[number].next; i != 0;
       i = accesses_[i].key.writes() ? 0 : accesses_[i].next)
    f(i);
}

/// Step 7.
void flamingo_scheduler::reconsider(std::uint32_t t, const execution_batch& batch,
                                    batch_plan& into) {
  // By executor: with how many there it exchanges a value.
  std::array<std::uint32_t, max_executors> near;
  std::fill_n(near.begin(), loads_.executors(), 0);
  std::uint32_t all = 0;
  const auto exchanges_with = [&](std::uint8_t executor) {
    ++near[executor];
    ++all;
  };
  for (std::uint32_t a = t == 0 ? 0 : batch.ends[t - 1]; a < batch.ends[t]; ++a) {
    const access& x = accesses_[a + 1];
    exchanges_with(x.source == 0 ? into.holders[a] : into.masters[accesses_[x.source].transaction]);
    if (!x.key.writes()) continue;
    each_reader(a + 1,
                [&](std::uint32_t i) { exchanges_with(into.masters[accesses_[i].transaction]); });
  }
  const std::uint32_t cost = batch.costs[t];
  const std::uint8_t now = into.masters[t];
  if (2 * near[now] > all) return;  // no other has as many
  std::uint64_t best = 0;
  for (std::uint16_t e = 0; e < loads_.executors(); ++e) {
    const auto id = static_cast<std::uint8_t>(e);
    const bool possible = static_cast<bool>((id != now) & loads_.has_capacity(id, cost));
    best = std::max(best, loads_.ranked((std::uint64_t{near[e]} + 1) * possible, id));
  }
  const std::uint8_t other = batch_loads::executor_of(best);
  const std::uint64_t there = batch_loads::weight_of(best), here = std::uint64_t{near[now]} + 1;
  if (there < here) return;
  if (there == here && loads_.load(other) + cost >= loads_.load(now)) return;
  loads_.remove(now, cost);
  loads_.add(other, cost);
  into.masters[t] = other;
  moved_[t] = 1;
  for (std::uint32_t a = t == 0 ? 0 : batch.ends[t - 1]; a < batch.ends[t]; ++a) {
    const access& x = accesses_[a + 1];
    if (x.source != 0) stirred_[accesses_[x.source].transaction] = 1;
    if (x.key.writes())
      each_reader(a + 1, [&](std::uint32_t i) { stirred_[accesses_[i].transaction] = 1; });
  }
}

/// What it writes is where it runs now.
void flamingo_scheduler::settle(std::uint32_t t, const execution_batch& batch, partition_map& map,
                                batch_plan& into) const {
  const std::uint8_t master = into.masters[t];
  for (std::uint32_t a = t == 0 ? 0 : batch.ends[t - 1]; a < batch.ends[t]; ++a) {
    const slot_access key = accesses_[a + 1].key;
    if (!key.writes()) continue;
    bool written_again = false;
    each_reader(a + 1, [&](std::uint32_t i) {
      into.holders[i - 1] = master;
      written_again = accesses_[i].key.writes();
    });
    if (!written_again) map.at(key.slot()).owner = master;
  }
}

}  // namespace flamingo::executor
