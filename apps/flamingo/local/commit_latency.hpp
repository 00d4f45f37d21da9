// From the creation of a validator's header to its commit, gathered from all validators' metrics
// while they run, across their restarts.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/flamingo/local/metrics_page.hpp"

namespace flamingo::local {

class commit_latency {
public:
  explicit commit_latency(std::size_t validators) : last_(validators) {}

  /// Forgets what was counted until now.
  void restart() { all_ = {}; }
  /// Takes in validator i's newest page. One whose counts fell was started again.
  void add(std::size_t i, std::string_view page);

  /// Milliseconds that a share `q` of the headers did not exceed.
  std::optional<double> quantile_ms(double q) const;

private:
  std::vector<histogram> last_;
  histogram all_;
};

}  // namespace flamingo::local
