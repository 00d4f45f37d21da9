#include "actors/certificate_aggregator/fetcher.hpp"

#include <algorithm>
#include <utility>

#include "messages/dag_limits.hpp"

namespace flamingo::certificate_aggregator {

std::pair<std::map<fetcher::object, fetcher::missing>::iterator, bool> fetcher::entry(
    round_number round, const digest& id, time_point due) {
  const auto result = wants_.try_emplace({round, id});
  if (result.second) {
    result.first->second.due = due;
    rounds_of_[id].insert(round);
    wake_at(due);
  }
  return result;
}

void fetcher::want(round_number round, const digest& id, const std::vector<validator_id>& sources,
                   time_point now, duration delay) {
  missing& x = entry(round, id, now + delay).first->second;
  if (!std::exchange(x.exists, true)) {
    // Questions to who may have invented it do not count.
    x.asked = 0;
    x.answer_by = {};
    x.due = std::min(x.due, now + delay);
    wake_at(x.due);
  }
  for (const auto source : sources)
    if (source != self_ && std::find(x.sources.begin(), x.sources.end(), source) == x.sources.end())
      x.sources.push_back(source);
}

void fetcher::hint(round_number round, const digest& id, dag_position by, time_point now,
                   duration delay) {
  missing& x = entry(round, id, now + delay).first->second;
  x.hinted_by.insert(by);
  if (std::find(x.sources.begin(), x.sources.end(), by.author) == x.sources.end())
    x.sources.push_back(by.author);
}

void fetcher::withdraw(round_number round, const digest& id, dag_position by) {
  const auto it = wants_.find({round, id});
  if (it == wants_.end() || it->second.hinted_by.erase(by) == 0) return;
  missing& x = it->second;
  if (x.exists) return;
  const auto of_author = [&](dag_position other) { return other.author == by.author; };
  if (std::none_of(x.hinted_by.begin(), x.hinted_by.end(), of_author))
    std::erase(x.sources, by.author);
  if (x.hinted_by.empty()) erase(it);
}

void fetcher::erase(std::map<object, missing>::iterator it) {
  const auto rounds = rounds_of_.find(it->first.second);
  rounds->second.erase(it->first.first);
  if (rounds->second.empty()) rounds_of_.erase(rounds);
  wants_.erase(it);
  changed_ = true;  // its place may be free
}

void fetcher::arrived(const digest& id) {
  const auto it = rounds_of_.find(id);
  if (it == rounds_of_.end()) return;
  for (const auto round : std::set(it->second)) erase(wants_.find({round, id}));
}

void fetcher::raise_floor(round_number floor) {
  while (!wants_.empty() && wants_.begin()->first.first <= floor) erase(wants_.begin());
}

std::size_t fetcher::most(const missing& x) const {
  const std::size_t all = local_.max_fetches;
  return x.exists ? all : std::max<std::size_t>(1, all / validators_);
}

std::optional<validator_id> fetcher::next_source(const missing& x,
                                                 const dag::author_set& up) const {
  for (std::size_t tried = 0; tried < x.sources.size(); ++tried)
    if (const auto source = x.sources[(x.next + tried) % x.sources.size()]; up.contains(source))
      return source;
  return std::nullopt;
}

std::vector<fetcher::want_entry*> fetcher::due(time_point now, round_number last, places& taken) {
  std::vector<want_entry*> result;
  taken.hints.resize(validators_);
  place_free_.reset();
  wake_.reset();
  for (auto& want : wants_) {
    if (want.first.first > last) break;
    missing& x = want.second;
    if (x.answer_by > now) {
      ++taken.of(x, x.whom);
      place_free_ = std::min(place_free_.value_or(x.answer_by), x.answer_by);
    }
    if (x.due > now)
      wake_at(x.due);
    else
      result.push_back(&want);
  }
  std::stable_sort(result.begin(), result.end(), [](const auto* a, const auto* b) {
    return a->second.turns() < b->second.turns();
  });
  return result;
}

std::vector<request_to> fetcher::ask(time_point now, round_number last, const dag::author_set& up) {
  if (last > last_) changed_ = true;
  last_ = last;
  if (!changed_ && (!wake_ || now < *wake_)) return {};
  changed_ = false;
  places taken;
  std::map<validator_id, header_request> questions;
  for (auto* want : due(now, last, taken)) {
    missing& x = want->second;
    const auto source = next_source(x, up);
    if (!source) continue;  // until a link comes up
    if (taken.of(x, *source) >= most(x)) {
      if (place_free_) wake_at(*place_free_);
      continue;
    }
    auto& list = questions[*source].headers;
    if (list.size() == max_requested_headers) {
      wake_at(now);  // with the next step
      continue;
    }
    list.push_back(want->first.second);
    ++taken.of(x, *source);
    // Back off after each turn of all sources: what nobody has is not asked for ever faster.
    x.due = now + local_.fetch_retry * (std::int64_t{1} << std::min<std::size_t>(x.turns(), 4));
    x.answer_by = now + local_.fetch_retry;
    x.whom = *source;
    x.next = 1 + static_cast<std::size_t>(std::find(x.sources.begin(), x.sources.end(), *source) -
                                          x.sources.begin());
    ++x.asked;
    wake_at(x.due);
    place_free_ = std::min(place_free_.value_or(x.answer_by), x.answer_by);
  }
  std::vector<request_to> result;
  for (auto& [peer, question] : questions) result.push_back({peer, std::move(question)});
  return result;
}

void range_sync::seen(const certificate& x) {
  if (x.round <= highest_seen_) return;
  highest_seen_ = x.round;
  sources_.clear();
  for (const auto& [voter, sig] : x.votes)
    if (voter != self_) sources_.push_back(voter);
  // Not everybody asks the same one first.
  if (!sources_.empty())
    std::rotate(sources_.begin(), sources_.begin() + self_.value % sources_.size(), sources_.end());
}

std::optional<range_request_to> range_sync::ask(time_point now, round_number frontier,
                                                const dag::author_set& up) {
  if (!behind(frontier)) {
    asked_.reset();
    all_asked_.clear();
    return std::nullopt;
  }
  if (asked_ && frontier < asked_->what.last && now < due_) return std::nullopt;
  if (asked_ && frontier < asked_->what.last) punctual_.late(asked_->peer);
  asked_.reset();
  due_ = now + local_.fetch_retry;
  const auto peer = punctual_.best(sources_, [&](validator_id v) { return up.contains(v); });
  if (!peer) return std::nullopt;
  // From the frontier's own round on: others' headers of it may be parents, too.
  const auto first = std::max(frontier, round_number{1});
  const auto rounds = std::clamp(local_.range_rounds, std::uint64_t{2}, max_requested_rounds);
  asked_ = {*peer, {first, first + (rounds - 1)}};
  all_asked_[*peer] = asked_->what;
  return asked_;
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
