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
  if (!w.sources.empty()) {
    const auto first = (x.id.bytes[0] + with_.self.value) % w.sources.size();
    std::rotate(w.sources.begin(), w.sources.begin() + static_cast<std::ptrdiff_t>(first),
                w.sources.end());
  }
  w.left = w.sources;
  queued_.push_back(x.id);
  changed_ = true;
}

bool batch_fetcher::asked(validator_id from) const {
  return std::any_of(active_.begin(), active_.end(), [&](const digest& id) {
    const auto& asked = wanted_.at(id).asked;
    return std::find(asked.begin(), asked.end(), from) != asked.end();
  });
}

void batch_fetcher::absent(validator_id from, const digest& id) {
  const auto found = wanted_.find(id);
  if (found == wanted_.end()) return;
  want_state& w = found->second;
  if (std::find(w.asked.begin(), w.asked.end(), from) == w.asked.end()) return;
  std::erase(w.left, from);
  if (w.answer != from || !any_left(w)) return;  // a new turn begins after the time-out
  w.answer.reset();
  changed_ = true;
}

bool batch_fetcher::any_left(const want_state& w) const {
  return std::any_of(w.left.begin(), w.left.end(), [&](validator_id v) { return up_[v.value]; });
}

void batch_fetcher::arrived(const digest& id) {
  wanted_.erase(id);
  active_.erase(id);
  changed_ = true;
}

std::optional<validator_id> batch_fetcher::next_source(want_state& w) const {
  if (!any_left(w)) w.left = w.sources;
  return punctual_.best(w.left, [&](validator_id v) { return up_[v.value]; });
}

void batch_fetcher::pump(time_point now, requests& out) {
  if (!changed_ && (!next_ || now < *next_)) return;
  changed_ = false;
  while (active_.size() < with_.outstanding_max && !queued_.empty()) {
    if (wanted_.contains(queued_.front())) active_.insert(queued_.front());
    queued_.pop_front();
  }
  next_.reset();
  std::set<validator_id> late;  // a peer that owes many answers is late once
  for (const digest& id : active_)
    if (want_state& w = wanted_.at(id); w.answer && now >= w.retry_at) {
      late.insert(*w.answer);
      std::erase(w.left, *w.answer);
      w.answer.reset();
    }
  for (const validator_id peer : late) punctual_.late(peer);
  std::map<validator_id, batch_request> grouped;
  for (const digest& id : active_) {
    want_state& w = wanted_.at(id);
    if (!w.answer) {
      w.answer = next_source(w);
      if (!w.answer) continue;  // nobody can be asked until a link comes up
      if (std::find(w.asked.begin(), w.asked.end(), *w.answer) == w.asked.end())
        w.asked.push_back(*w.answer);
      w.retry_at = now + with_.retry;
      auto& request = grouped[*w.answer];
      request.batches.push_back(id);
      if (request.batches.size() == max_requested_batches)
        out.emplace_back(*w.answer, std::exchange(request, {}));
    }
    next_ = std::min(next_.value_or(time_point::max()), w.retry_at);
  }
  for (auto& [to, request] : grouped)
    if (!request.batches.empty()) out.emplace_back(to, std::move(request));
}

}  // namespace flamingo::worker
