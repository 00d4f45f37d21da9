#include "actors/committer/batch_indexes.hpp"

#include <algorithm>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::committer {

namespace {

std::size_t weight(const std::vector<bundle_head>& bundles) {
  return std::max<std::size_t>(1, bundles.size());
}

}  // namespace

void batch_indexes::need(const wanted_batch& batch) {
  needed_batch& entry =
      needed_.try_emplace(batch.id, needed_batch{batch, 0, false, {}, {}}).first->second;
  if (entry.uses++ > 0) return;
  auto& cache = cached_[batch.author.value];
  if (!cache.batches.contains(batch.id)) return;
  entry.bundles = cache.take(batch.id);
  entry.here = true;
}

std::vector<bundle_head> batch_indexes::author_cache::take(const digest& batch) {
  const auto found = batches.find(batch);
  auto taken = std::move(found->second.bundles);
  bundles -= weight(taken);
  order.erase(found->second.number);
  batches.erase(found);
  return taken;
}

void batch_indexes::release(const digest& batch) {
  const auto found = needed_.find(batch);
  FLAMINGO_ASSERT(found != needed_.end());
  if (--found->second.uses == 0) needed_.erase(found);
}

bool batch_indexes::arrived(const batch_index& batch) {
  if (const auto found = needed_.find(batch.id); found != needed_.end()) {
    if (std::exchange(found->second.here, true)) return false;
    found->second.bundles = batch.bundles;
    return true;
  }
  if (batch.author.value >= cached_.size()) return false;
  auto& cache = cached_[batch.author.value];
  if (!cache.batches.try_emplace(batch.id, author_cache::cached_batch{batch.bundles, arrivals_})
           .second)
    return false;
  cache.order.emplace(arrivals_++, batch.id);
  cache.bundles += weight(batch.bundles);
  while (cache.bundles > share_) cache.take(cache.order.begin()->second);
  return false;
}

const std::vector<bundle_head>* batch_indexes::find(const digest& batch) const {
  const auto found = needed_.find(batch);
  FLAMINGO_ASSERT(found != needed_.end());
  return found->second.here ? &found->second.bundles : nullptr;
}

std::optional<time_point> batch_indexes::ask(const digest& batch, time_point now, duration retry,
                                             std::vector<wanted_batch>& into) {
  const auto found = needed_.find(batch);
  FLAMINGO_ASSERT(found != needed_.end());
  needed_batch& entry = found->second;
  if (entry.here) return std::nullopt;
  if (!entry.asked || *entry.asked + retry <= now) {
    entry.asked = now;
    into.push_back(entry.what);
  }
  return *entry.asked + retry;
}

}  // namespace flamingo::committer
