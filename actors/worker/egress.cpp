#include "actors/worker/egress.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::worker {

void egress::add(batch_sequence sequence, const digest& id, std::uint64_t bytes, shared_bytes frame,
                 time_point now) {
  const bool cached = !frame.empty();
  const bool is_new = own_.try_emplace(sequence, batch{id, bytes, std::move(frame), now,
                                                       dag::author_set(with_.validators)})
                          .second;
  FLAMINGO_ASSERT(is_new);
  for (std::uint16_t v = 0; v < peers_.size(); ++v)
    if (validator_id{v} != with_.self) peers_[v].waiting.push_back(sequence);
  if (!cached) return;
  cached_.push_back(sequence);
  cached_bytes_ += bytes;
  drop_frames();
}

std::optional<duration> egress::acknowledged(validator_id from, const batch_stored& x,
                                             time_point now) {
  const auto found = own_.find(x.sequence);
  if (found == own_.end() || found->second.id != x.batch) return std::nullopt;
  batch& own = found->second;
  if (!own.stored_by.add(from)) return std::nullopt;
  if (from != with_.self) {
    peer_state& p = peers_[from.value];
    take_back(p, x.sequence);
    p.quiet_since = now;
    p.time_out = with_.resend;
  }
  if (own.available || own.stored_by.count() < with_.quorum) return std::nullopt;
  own.available = true;
  return std::max(duration{}, now - own.sealed);
}

void egress::take_back(peer_state& p, batch_sequence sequence) {
  if (const auto sent = p.inflight.find(sequence); sent != p.inflight.end()) {
    p.inflight_bytes -= sent->second;
    p.inflight.erase(sent);
  } else if (const auto waits = std::find(p.waiting.begin(), p.waiting.end(), sequence);
             waits != p.waiting.end()) {
    p.waiting.erase(waits);
  }
}

void egress::forget(batch_sequence sequence) {
  const auto found = own_.find(sequence);
  if (found == own_.end()) return;
  for (auto& p : peers_) take_back(p, sequence);
  if (!found->second.frame.empty()) {
    cached_bytes_ -= found->second.bytes;
    cached_.erase(std::find(cached_.begin(), cached_.end(), sequence));
  }
  own_.erase(found);
}

void egress::peer_up(validator_id v, time_point now) {
  peer_state& p = peers_[v.value];
  p.up = true;
  for (auto it = p.inflight.rbegin(); it != p.inflight.rend(); ++it)
    p.waiting.push_front(it->first);
  sent_again_ += p.inflight.size();
  p.inflight.clear();
  p.inflight_bytes = 0;
  p.time_out = with_.resend;
  p.quiet_since = now;
}

void egress::peer_down(validator_id v) {
  peers_[v.value].up = false;
}

batch_send egress::send_of(validator_id to, batch_sequence sequence) const {
  const batch& x = own_.at(sequence);
  return {to, {with_.self, sequence, x.id}, x.frame};
}

void egress::pump(time_point now, std::vector<batch_send>& out) {
  for (std::uint16_t v = 0; v < peers_.size(); ++v) {
    peer_state& p = peers_[v];
    if (!p.up) continue;
    if (!p.inflight.empty() && now - p.quiet_since >= p.time_out) {
      out.push_back(send_of(validator_id{v}, p.inflight.begin()->first));
      ++sent_again_;
      p.quiet_since = now;
      p.time_out = std::min(p.time_out * 2, with_.resend * back_off_max);
    }
    while (!p.waiting.empty()) {
      const batch_sequence sequence = p.waiting.front();
      const batch& next = own_.at(sequence);
      if (!p.inflight.empty() && p.inflight_bytes + next.bytes > with_.window_bytes) break;
      if (p.inflight.empty()) p.quiet_since = now;
      p.waiting.pop_front();
      p.inflight.emplace(sequence, next.bytes);
      p.inflight_bytes += next.bytes;
      out.push_back(send_of(validator_id{v}, sequence));
    }
  }
}

std::optional<time_point> egress::next_deadline() const {
  std::optional<time_point> first;
  for (const auto& p : peers_)
    if (p.up && !p.inflight.empty())
      first = std::min(first.value_or(time_point::max()), p.quiet_since + p.time_out);
  return first;
}

void egress::drop_frames() {
  // The newest is about to be sent to everyone: it stays, whatever its size.
  while (cached_bytes_ > with_.cache_bytes && cached_.size() > 1) {
    batch& oldest = own_.at(cached_.front());
    cached_.pop_front();
    cached_bytes_ -= oldest.bytes;
    oldest.frame = {};
  }
}

}  // namespace flamingo::worker
