#include "apps/flamingo/local/resource_use.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "apps/flamingo/runtime/process_metrics.hpp"

namespace flamingo::local {

void resource_use::sample(int pid) {
  auto& seen = cpu_[pid];
  seen = std::max(seen, runtime::cpu_seconds(pid));
}

void resource_use::sample(int pid, const std::filesystem::path& store) {
  sample(pid);
  memory_max_ = std::max(memory_max_, runtime::anonymous_memory_bytes(pid));
  struct stat info {};
  constexpr std::uint64_t block = 512;  // st_blocks counts these, whatever the file system
  if (::stat(store.c_str(), &info) == 0)
    store_max_ = std::max(store_max_, static_cast<std::uint64_t>(info.st_blocks) * block);
}

double resource_use::cpu_seconds() const {
  double sum = 0;
  for (const auto& [pid, seconds] : cpu_) sum += seconds;
  return sum;
}

}  // namespace flamingo::local
