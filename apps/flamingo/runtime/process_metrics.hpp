// What the operating system says of this process, as Prometheus names it everywhere: CPU time,
// memory, file descriptors.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <vector>

namespace flamingo::runtime {

class process_metrics final : public prometheus::Collectable {
public:
  std::vector<prometheus::MetricFamily> Collect() const override;
};

/// CPU time that a process has used, in seconds; memory of its own (RssAnon: a mapped store is not
/// counted), in bytes. 0 if there is no such process.
double cpu_seconds(int pid);
std::uint64_t anonymous_memory_bytes(int pid);

}  // namespace flamingo::runtime
