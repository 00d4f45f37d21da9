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
  const auto found = cache.batches.find(batch.id);
  if (found == cache.batches.end()) return;
  cache.bundles -= weight(found->second);
  entry.bundles = std::move(found->second);
  entry.here = true;
  cache.batches.erase(found);
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
  if (!cache.batches.emplace(batch.id, batch.bundles).second) return false;
  cache.order.push_back(batch.id);
  cache.bundles += weight(batch.bundles);
  trim(cache);
  return false;
}

void batch_indexes::trim(author_cache& cache) const {
  while (!cache.order.empty()) {
    const auto oldest = cache.batches.find(cache.order.front());
    if (oldest != cache.batches.end()) {
      if (cache.bundles <= share_) return;
      cache.bundles -= weight(oldest->second);
      cache.batches.erase(oldest);
    }
    cache.order.pop_front();
  }
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
