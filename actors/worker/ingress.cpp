#include "actors/worker/ingress.hpp"

#include "messages/assert.hpp"

namespace flamingo::worker {

std::optional<admission::busy> ingress::distrusts(client_id from, time_point now) const {
  const auto vain = vain_of_.find(from);
  const auto wait = vain == vain_of_.end() ? duration{} : vain->second.wait(now);
  if (wait <= duration{}) return std::nullopt;
  return admission::busy{std::chrono::ceil<std::chrono::milliseconds>(wait),
                         "bundles that were checked in vain"};
}

std::optional<admission::busy> ingress::arrive(client_id from, waiting_bundle x, time_point now) {
  // Who is not served faster than this gains nothing by waiting here rather than at home.
  if (const queued* first = queue_.front(from); first && now - first->since > with_.max_delay)
    return admission::busy{busy_retry, "max_admission_delay_ms"};
  const std::uint64_t bytes = x.parts.body.size();
  std::uint64_t& held = held_[from];
  if (held + bytes > with_.client_window_bytes)
    return admission::busy{busy_retry, "client_window_bytes"};
  // Nobody may hold more than what is still free (Choudhury and Hahne, dynamic thresholds, 1998): k
  // that want all there is get a share of 1 in k + 1 each, and as much stays free for one more.
  if (held + bytes > with_.ingress_bytes - bytes_)
    return admission::busy{busy_retry, "ingress_bytes"};
  held += bytes;
  bytes_ += bytes;
  queue_.push(from, {std::move(x), now}, bytes + signature_cost);
  return std::nullopt;
}

std::optional<std::pair<client_id, waiting_bundle>> ingress::pop() {
  auto next = queue_.pop();
  if (!next) return std::nullopt;
  return std::pair{next->first, std::move(next->second.bundle)};
}

void ingress::checked_in_vain(client_id from, time_point now) {
  vain_of_.try_emplace(from, vain_checks_per_second).first->second.charge(1, now);
}

void ingress::release(client_id from, std::uint64_t bytes) {
  std::uint64_t& held = held_[from];
  FLAMINGO_ASSERT(held >= bytes && bytes_ >= bytes);
  held -= bytes;
  bytes_ -= bytes;
}

std::optional<admission::relay_limited> ingress::relay(client_id from, std::uint64_t bytes,
                                                       time_point now) {
  rate_limit& own =
      relays_of_.try_emplace(from, relay_rate(with_.client_window_bytes)).first->second;
  if (const auto wait = std::max(own.wait(now), relays_.wait(now)); wait > duration{})
    return admission::relay_limited{std::chrono::ceil<std::chrono::milliseconds>(wait),
                                    "relay_per_mille"};
  own.take(bytes, now);
  relays_.take(bytes, now);
  return std::nullopt;
}

}  // namespace flamingo::worker
