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
  const auto found = cached_.find(batch.id);
  if (found == cached_.end()) return;
  entry.bundles = take(found);
  entry.here = true;
}

std::vector<bundle_head> batch_indexes::take(std::map<digest, cached_batch>::iterator at) {
  cached_batch taken = std::move(at->second);
  cached_.erase(at);
  author_share& of = shares_[taken.author.value];
  of.bundles -= weight(taken.bundles);
  of.order.erase(taken.number);
  return std::move(taken.bundles);
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
  if (batch.author.value >= shares_.size()) return false;
  if (!cached_.try_emplace(batch.id, cached_batch{batch.author, arrivals_, batch.bundles}).second)
    return false;
  author_share& of = shares_[batch.author.value];
  of.order.emplace(arrivals_++, batch.id);
  of.bundles += weight(batch.bundles);
  while (of.bundles > share_) take(cached_.find(of.order.begin()->second));
  return false;
}

std::vector<digest> batch_indexes::forget(const std::vector<digest>& batches) {
  std::vector<digest> kept;
  for (const digest& id : batches) {
    if (needed_.contains(id)) kept.push_back(id);
#if FLAMINGO_MUTANT_index_of_a_given_up_batch
    continue;
#endif
    if (const auto found = cached_.find(id); found != cached_.end()) take(found);
  }
  return kept;
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
