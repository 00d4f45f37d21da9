// The metrics of a node: one registry a process, every series there from the start at 0
// (docs/metrics.md).
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <map>
#include <memory>
#include <string>

#include "actors/errors.hpp"

namespace flamingo::runtime {

using labels = std::map<std::string, std::string>;

/// Makes or finds series. Not for hot loops: keep the reference; one increment a bundle is fine,
/// one a transaction is not.
class metrics {
public:
  /// @param common labels of every series, such as {validator: "v0"}.
  explicit metrics(labels common) : common_(std::move(common)) {}

  prometheus::Counter& counter(const std::string& name, const std::string& help, labels own = {});
  prometheus::Gauge& gauge(const std::string& name, const std::string& help, labels own = {});
  /// @param bounds upper bounds of the buckets, in the unit that the name ends with.
  prometheus::Histogram& histogram(const std::string& name, const std::string& help,
                                   prometheus::Histogram::BucketBoundaries bounds, labels own = {});

  std::shared_ptr<prometheus::Registry> registry() const { return registry_; }

private:
  labels merged(labels own) const;

  labels common_;
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
};

/// One counter for each reason for which a role refuses input.
class reject_counters {
public:
  reject_counters(metrics& into, const std::string& role);
  void count(reject why) {
    counters_[static_cast<std::size_t>(why)]->Increment();
    if (is_in_vain(why)) ++vain_;
  }

  /// Handles a frame of a peer or client, and tells its link if that was in vain.
  template <class Frame, class F>
  void judge(const Frame& frame, F&& handle) {
    const auto before = vain_;
    handle();
    if (vain_ != before) frame.in_vain();
  }

private:
  std::uint64_t vain_ = 0;
  std::array<prometheus::Counter*, static_cast<std::size_t>(reject::count_)> counters_{};
};

}  // namespace flamingo::runtime
