#include "apps/flamingo/runtime/process_metrics.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace flamingo::runtime {

double cpu_seconds(int pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text((std::istreambuf_iterator<char>(in)), {});
  // The name of the program may hold spaces and parentheses: the fields start after the last ')'.
  const auto end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, kernel = 0;
  fields >> user >> kernel;
  return (user + kernel) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t anonymous_memory_bytes(int pid) {
  std::ifstream in(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("RssAnon:")) return std::stoull(line.substr(8)) * 1024;
  return 0;
}

namespace {

std::uint64_t open_files() {
  std::error_code failed;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator i("/proc/self/fd", failed), end; !failed && i != end;
       i.increment(failed))
    ++count;
  return count;
}

prometheus::MetricFamily family(const char* name, const char* help, prometheus::MetricType type,
                                double value) {
  prometheus::ClientMetric metric;
  if (type == prometheus::MetricType::Counter)
    metric.counter.value = value;
  else
    metric.gauge.value = value;
  return {name, help, type, {metric}};
}

}  // namespace

std::vector<prometheus::MetricFamily> process_metrics::Collect() const {
  using prometheus::MetricType;
  const int self = ::getpid();
  return {family("process_cpu_seconds_total", "CPU time used, user and kernel", MetricType::Counter,
                 cpu_seconds(self)),
          family("process_anonymous_memory_bytes",
                 "Memory of the process's own, without the mapped store", MetricType::Gauge,
                 static_cast<double>(anonymous_memory_bytes(self))),
          family("process_open_fds", "Open file descriptors", MetricType::Gauge,
                 static_cast<double>(open_files()))};
}

}  // namespace flamingo::runtime
