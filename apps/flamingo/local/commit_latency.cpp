#include "apps/flamingo/local/commit_latency.hpp"

namespace flamingo::local {

void commit_latency::add(std::size_t i, std::string_view page) {
  const auto now = histogram_of(page, "flamingo_committer_own_header_seconds");
  if (now.counts.empty()) return;
  auto& last = last_.at(i);
  const bool again = !last.counts.empty() && now.counts.back() < last.counts.back();
  all_.merge(again ? now : now.since(last));
  last = now;
}

std::optional<double> commit_latency::quantile_ms(double q) const {
  const auto seconds = all_.quantile(q);
  return seconds ? std::optional(*seconds * 1000) : std::nullopt;
}

}  // namespace flamingo::local
