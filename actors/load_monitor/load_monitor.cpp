#include "actors/load_monitor/load_monitor.hpp"

#include <algorithm>

namespace flamingo::load_monitor {

namespace {

/// The lower median: of an even number the smaller of the middle two.
template <class T>
std::optional<T> lower_median(std::vector<T> of) {
  if (of.empty()) return std::nullopt;
  const auto middle = of.begin() + static_cast<std::ptrdiff_t>((of.size() - 1) / 2);
  std::nth_element(of.begin(), middle, of.end());
  return *middle;
}

__extension__ using wide = __int128;

}  // namespace

parameters parameters::of(const committee& members, const protocol_parameters& protocol) {
  return {members.size(), members.quorum(), protocol.decision_window, protocol.stability_rounds};
}

std::optional<std::string> refusal(balancing_rule rule) {
  switch (rule) {
    case balancing_rule::none:
      return std::nullopt;
    case balancing_rule::flamingo:
      return "balancing = \"flamingo\" in the committee file: this version does not balance yet, "
             "set it to \"none\"";
    case balancing_rule::proxy:
      return "balancing = \"proxy\" in the committee file: this version does not balance yet, set "
             "it to \"none\"";
  }
  return "an unknown balancing rule in the committee file: set it to \"none\"";
}

effects core::step(const input& in) {
  if (in.index <= newest_) return {};  // seen before a restart of the committer
  newest_ = in.index;
  for (const header_signals& x : in.headers)
    if (x.author.value < parameters_.validators) headers_[{x.round, x.author}] = x;

  window_report report;
  report.last = in.anchor_round - parameters_.stability;
  report.first = report.last + 1 - parameters_.window;
  headers_.erase(headers_.begin(), headers_.lower_bound({report.first, validator_id{0}}));

  report.validators.resize(parameters_.validators);
  std::vector<std::vector<std::chrono::microseconds>> delays(parameters_.validators);
  const auto end = headers_.lower_bound({report.last + 1, validator_id{0}});
  for (auto at = headers_.begin(); at != end; ++at) {
    const header_signals& x = at->second;
    ++report.headers;
    report.validators[x.author.value].transactions += x.transactions;
    if (x.queue_delay) delays[x.author.value].push_back(*x.queue_delay);
  }
  report.length = length(report.first, report.last);
  std::vector<std::uint64_t> rates;
  std::vector<std::chrono::microseconds> median_delays;
  for (std::size_t v = 0; v < parameters_.validators; ++v) {
    validator_load& load = report.validators[v];
    if (report.length)
      load.per_second = static_cast<std::uint64_t>(wide(load.transactions) * 1'000'000'000 /
                                                   report.length->count());
    load.queue_delay = lower_median(std::move(delays[v]));
    rates.push_back(load.per_second);
    if (load.queue_delay) median_delays.push_back(*load.queue_delay);
  }
  report.median_per_second = lower_median(std::move(rates)).value_or(0);
  report.median_queue_delay = lower_median(std::move(median_delays));
  return {std::move(report)};
}

/// For each author its first and last header of the window tell how long a round took by its clock;
/// the lower median over at least n-f authors is beyond what f liars can set.
std::optional<duration> core::length(round_number first, round_number last) const {
  struct span {
    const header_signals *first, *last;
  };
  std::map<validator_id, span> spans;
  const auto end = headers_.lower_bound({last + 1, validator_id{0}});
  for (auto at = headers_.lower_bound({first, validator_id{0}}); at != end; ++at) {
    const auto [author, added] =
        spans.try_emplace(at->second.author, span{&at->second, &at->second});
    if (!added) author->second.last = &at->second;
  }
  std::vector<wide> lengths;
  for (const auto& [author, x] : spans) {
    const std::uint64_t rounds = x.last->round.value - x.first->round.value;
    if (rounds == 0) continue;
    const wide passed = wide(x.last->created_at.time_since_epoch().count()) -
                        x.first->created_at.time_since_epoch().count();
    lengths.push_back(std::max<wide>(passed, 0) * parameters_.window / rounds);
  }
  if (lengths.size() < parameters_.quorum) return std::nullopt;
  const wide median = std::min<wide>(*lower_median(std::move(lengths)), duration::max().count());
  if (median == 0) return std::nullopt;
  return duration{static_cast<duration::rep>(median)};
}

}  // namespace flamingo::load_monitor
