#include "actors/worker/batch_fetcher.hpp"

#include <algorithm>
#include <utility>

namespace flamingo::worker {

void batch_fetcher::want(const wanted_batch& x) {
  const auto [at, is_new] = wanted_.try_emplace(x.id);
  if (!is_new) return;
  want_state& w = at->second;
  const auto add = [&](validator_id v) {
    if (v != with_.self && v.value < with_.validators &&
        std::find(w.sources.begin(), w.sources.end(), v) == w.sources.end())
      w.sources.push_back(v);
  };
  for (const validator_id v : x.signers) add(v);
  if (x.signers.empty())
    for (std::uint16_t v = 0; v < with_.validators; ++v) add(validator_id{v});
  add(x.author);
  if (!w.sources.empty()) w.next = (x.id.bytes[0] + with_.self.value) % w.sources.size();
  queued_.push_back(x.id);
  changed_ = true;
}

bool batch_fetcher::asked(validator_id from) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const digest& id) { return wanted_.at(id).asked == from; });
}

void batch_fetcher::arrived(const digest& id) {
  wanted_.erase(id);
  active_.erase(id);
  changed_ = true;
}

std::optional<validator_id> batch_fetcher::next_source(want_state& w) const {
  for (std::size_t tried = 0; tried < w.sources.size(); ++tried) {
    const validator_id v = w.sources[w.next];
    w.next = (w.next + 1) % w.sources.size();
    if (up_[v.value]) return v;
  }
  return std::nullopt;
}

void batch_fetcher::pump(time_point now, requests& out) {
  if (!changed_ && (!next_ || now < *next_)) return;
  changed_ = false;
  while (active_.size() < with_.outstanding_max && !queued_.empty()) {
    if (wanted_.contains(queued_.front())) active_.insert(queued_.front());
    queued_.pop_front();
  }
  next_.reset();
  std::map<validator_id, batch_request> grouped;
  for (const digest& id : active_) {
    want_state& w = wanted_.at(id);
    if (!w.asked || now >= w.retry_at) {
      w.asked = next_source(w);
      if (!w.asked) continue;  // nobody can be asked until a link comes up
      w.retry_at = now + with_.retry;
      auto& request = grouped[*w.asked];
      request.batches.push_back(id);
      if (request.batches.size() == max_requested_batches)
        out.emplace_back(*w.asked, std::exchange(request, {}));
    }
    next_ = std::min(next_.value_or(time_point::max()), w.retry_at);
  }
  for (auto& [to, request] : grouped)
    if (!request.batches.empty()) out.emplace_back(to, std::move(request));
}

}  // namespace flamingo::worker
