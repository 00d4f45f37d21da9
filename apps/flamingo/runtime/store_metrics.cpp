#include "apps/flamingo/runtime/store_metrics.hpp"

namespace flamingo::runtime {

std::vector<prometheus::MetricFamily> store_metrics::Collect() const {
  using prometheus::MetricType;
  const auto stats = store_->stats();
  std::vector<prometheus::MetricFamily> out;
  const auto add = [&](const char* name, const char* help, MetricType type, auto value) {
    prometheus::ClientMetric metric;
    metric.label.push_back({"validator", validator_});
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        static_cast<double>(value);
    out.push_back({name, help, type, {metric}});
  };
  const auto counter = MetricType::Counter, gauge = MetricType::Gauge;
  add("flamingo_store_writes_total", "Batches of writes made durable", counter, stats.writes);
  add("flamingo_store_written_bytes_total", "Keys and values in them", counter, stats.bytes);
  add("flamingo_store_syncs_total", "Groups of writes made durable together", counter, stats.syncs);
  add("flamingo_store_last_sync_seconds", "Time that the newest group took", gauge,
      static_cast<double>(stats.last_sync_ns) * 1e-9);
  add("flamingo_store_queued_bytes", "Submitted and not durable yet", gauge, stats.queued_bytes);
  add("flamingo_store_used_bytes", "What the tables hold, in whole pages", gauge, stats.used_bytes);
  add("flamingo_store_file_bytes", "The file's size, growth written ahead included", gauge,
      stats.file_bytes);
  add("flamingo_store_capacity_bytes", "Where the store is full: store.store_bytes_max", gauge,
      stats.capacity_bytes);
  return out;
}

}  // namespace flamingo::runtime
