// A process's /metrics, read as Prometheus reads it.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/committee.hpp"

namespace flamingo::local {

/// Fetches http://`from`/metrics. Nothing if there is no good answer within `timeout`.
std::optional<std::string> fetch_metrics(const network_address& from,
                                         std::chrono::milliseconds timeout);

/// Counts by bucket: `le[i]` is the upper bound of bucket i, the last one infinite; `counts` are
/// cumulative, as Prometheus tells them.
struct histogram {
  std::vector<double> le;
  std::vector<double> counts;

  /// Adds another with the same bounds (one without any takes the other's). False if they differ.
  bool merge(const histogram& other);
  /// What was counted since `earlier`.
  histogram since(const histogram& earlier) const;
  /// The value that a share `q` of the observations does not exceed, interpolated within its
  /// bucket, as Prometheus does; nothing when empty.
  std::optional<double> quantile(double q) const;
};

/// The sum of all series called `name`, whatever their labels; nothing if there is none.
std::optional<double> sum_of(std::string_view page, const std::string& name);
/// All series of a histogram, put together.
histogram histogram_of(std::string_view page, const std::string& name);

}  // namespace flamingo::local
