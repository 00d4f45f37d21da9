#include "actors/certificate_aggregator/fetcher.hpp"

#include <algorithm>

#include "messages/dag_limits.hpp"

namespace flamingo::certificate_aggregator {

void fetcher::want(round_number round, const digest& id, const std::vector<validator_id>& sources,
                   time_point now, duration delay, unsigned attempts) {
  const auto [it, is_new] = wants_.try_emplace({round, id});
  missing& x = it->second;
  if (is_new) {
    x.due = now + delay;
    x.attempts = attempts;
    rounds_of_[id].insert(round);
  } else if (attempts == 0) {
    x.attempts = 0;  // a certificate needs it now: it exists
    if (x.asked == 0) x.due = std::min(x.due, now + delay);
  }
  for (const auto source : sources)
    if (source != self_ && std::find(x.sources.begin(), x.sources.end(), source) == x.sources.end())
      x.sources.push_back(source);
}

void fetcher::arrived(const digest& id) {
  const auto it = rounds_of_.find(id);
  if (it == rounds_of_.end()) return;
  for (const auto round : it->second) wants_.erase({round, id});
  rounds_of_.erase(it);
}

void fetcher::raise_floor(round_number floor) {
  while (!wants_.empty() && wants_.begin()->first.first <= floor) {
    const auto [round, id] = wants_.begin()->first;
    const auto it = rounds_of_.find(id);
    it->second.erase(round);
    if (it->second.empty()) rounds_of_.erase(it);
    wants_.erase(wants_.begin());
  }
}

std::optional<validator_id> fetcher::next_source(missing& x, const dag::author_set& up) const {
  for (std::size_t tried = 0; tried < x.sources.size(); ++tried) {
    const auto source = x.sources[x.next++ % x.sources.size()];
    if (up.contains(source)) return source;
  }
  return std::nullopt;
}

std::vector<request_to> fetcher::ask(time_point now, round_number last, const dag::author_set& up) {
  std::map<validator_id, header_request> questions;
  std::vector<digest> given_up;
  std::size_t outstanding = 0;
  for (auto& [what, x] : wants_) {
    if (what.first > last || outstanding == local_.max_fetches) break;
    ++outstanding;
    if (x.due > now) continue;
    if (x.attempts > 0 && x.asked >= x.attempts) {
      given_up.push_back(what.second);
      continue;
    }
    // Back off after each turn of all sources: what nobody has is not asked for ever faster.
    const auto turns = x.sources.empty() ? 0 : x.asked / x.sources.size();
    x.due = now + local_.fetch_retry * (std::int64_t{1} << std::min<std::size_t>(turns, 4));
    const auto source = next_source(x, up);
    if (!source) continue;
    auto& list = questions[*source].headers;
    if (list.size() == max_requested_headers) {
      x.due = now;  // with the next step
      continue;
    }
    list.push_back(what.second);
    ++x.asked;
  }
  for (const auto& id : given_up) arrived(id);
  std::vector<request_to> result;
  for (auto& [peer, question] : questions) result.push_back({peer, std::move(question)});
  return result;
}

std::optional<time_point> fetcher::next_deadline(round_number last) const {
  std::optional<time_point> first;
  std::size_t outstanding = 0;
  for (const auto& [what, x] : wants_) {
    if (what.first > last || outstanding++ == local_.max_fetches) break;
    if (!first || x.due < *first) first = x.due;
  }
  return first;
}

void range_sync::seen(const certificate& x) {
  if (x.round <= highest_seen_) return;
  highest_seen_ = x.round;
  sources_.clear();
  for (const auto& [voter, sig] : x.votes)
    if (voter != self_) sources_.push_back(voter);
}

std::optional<range_request_to> range_sync::ask(time_point now, round_number frontier,
                                                const dag::author_set& up) {
  if (!behind(frontier)) {
    asked_.reset();
    all_asked_.clear();
    return std::nullopt;
  }
  if (asked_ && frontier < asked_->what.last && now < due_) return std::nullopt;
  // The peer that answered the last chunk gets the next question, too; one that did not, does not.
  if (asked_ && frontier < asked_->what.last) ++next_;
  asked_.reset();
  due_ = now + local_.fetch_retry;
  for (std::size_t tried = 0; tried < sources_.size(); ++tried, ++next_) {
    const auto peer = sources_[next_ % sources_.size()];
    if (!up.contains(peer)) continue;
    // From the frontier's own round on: others' headers of it may be parents, too.
    const auto first = std::max(frontier, round_number{1});
    const auto rounds = std::clamp(local_.range_rounds, std::uint64_t{2}, max_requested_rounds);
    asked_ = {peer, {first, first + (rounds - 1)}};
    all_asked_[peer] = asked_->what;
    return asked_;
  }
  return std::nullopt;
}

bool range_sync::expects(validator_id peer, round_number round) const {
  const auto found = all_asked_.find(peer);
  return found != all_asked_.end() && found->second.first <= round && round <= found->second.last;
}

bool range_sync::gone(validator_id peer, round_number first_kept, time_point now) {
  const auto found = all_asked_.find(peer);
  if (found == all_asked_.end() || found->second.first >= first_kept) return false;
  all_asked_.erase(found);
  if (asked_ && asked_->peer == peer) due_ = now;
  return true;
}

void range_sync::progress(time_point now) {
  due_ = now + local_.fetch_retry;
}

std::optional<time_point> range_sync::next_deadline() const {
  if (!asked_) return std::nullopt;
  return due_;
}

}  // namespace flamingo::certificate_aggregator
