#include "actors/runtime/metrics.hpp"

namespace flamingo::runtime {

labels metrics::merged(labels own) const {
  own.insert(common_.begin(), common_.end());
  return own;
}

prometheus::Counter& metrics::counter(const std::string& name, const std::string& help,
                                      labels own) {
  auto& family = prometheus::BuildCounter().Name(name).Help(help).Register(*registry_);
  return family.Add(merged(std::move(own)));
}

prometheus::Gauge& metrics::gauge(const std::string& name, const std::string& help, labels own) {
  auto& family = prometheus::BuildGauge().Name(name).Help(help).Register(*registry_);
  return family.Add(merged(std::move(own)));
}

prometheus::Histogram& metrics::histogram(const std::string& name, const std::string& help,
                                          prometheus::Histogram::BucketBoundaries bounds,
                                          labels own) {
  auto& family = prometheus::BuildHistogram().Name(name).Help(help).Register(*registry_);
  return family.Add(merged(std::move(own)), std::move(bounds));
}

reject_counters::reject_counters(metrics& into, const std::string& role) {
  for (std::size_t i = 0; i < counters_.size(); ++i)
    counters_[i] =
        &into.counter("flamingo_rejected_total", "Inputs of peers and clients that were refused",
                      {{"role", role}, {"reason", std::string(to_string(reject(i)))}});
}

}  // namespace flamingo::runtime
