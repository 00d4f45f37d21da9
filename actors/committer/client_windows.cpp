#include "actors/committer/client_windows.hpp"

namespace flamingo::committer {

bool client_window::consumed(std::uint64_t sequence) const {
  const std::uint64_t word = sequence / bits - low_.value / bits;
  return word < words_.size() && (words_[word] >> (sequence % bits) & 1) != 0;
}

void client_window::consume(std::uint64_t sequence) {
  const std::uint64_t word = sequence / bits - low_.value / bits;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (sequence % bits);
  // `low` passes consumed sequences only: a window that slides past a gap loses the bundle in it.
  while (consumed(low_.value)) {
    ++low_;
    if (low_.value % bits == 0) words_.pop_front();
  }
}

verdict client_window::take(bundle_sequence sequence, round_number expires,
                            round_number anchor_round, std::uint64_t window) {
  if (sequence < low_ || consumed(sequence.value)) return verdict::duplicate;
  if (sequence.value - low_.value >= window) {
#if FLAMINGO_MUTANT_window_slides_past_gaps
    while (sequence.value - low_.value >= window) consume(low_.value);
#else
    return verdict::out_of_window;
#endif
  }
#if FLAMINGO_MUTANT_expired_is_not_consumed
  if (anchor_round > expires) return verdict::expired;
#endif
  consume(sequence.value);
  return anchor_round > expires ? verdict::expired : verdict::fresh;
}

std::optional<client_window> client_window::restored(bundle_sequence low,
                                                     const std::vector<std::uint64_t>& words) {
  client_window result;
  result.low_ = low;
  result.words_.assign(words.begin(), words.end());
  if (low < client_window().low_ || result.consumed(low.value)) return std::nullopt;
  return result;
}

verdict client_windows::take(const bundle_head& bundle, round_number anchor_round) {
  const auto [at, first] = windows_.try_emplace(bundle.client);
  const auto what = at->second.take(bundle.sequence, bundle.expires, anchor_round, window_);
  if (what == verdict::fresh || what == verdict::expired)
    changed_.insert(bundle.client);
  else if (first)
    windows_.erase(at);
  return what;
}

std::vector<std::pair<client_id, client_window>> client_windows::take_changed() {
  std::vector<std::pair<client_id, client_window>> result;
  for (const client_id client : changed_) result.emplace_back(client, windows_.at(client));
  changed_.clear();
  return result;
}

}  // namespace flamingo::committer
