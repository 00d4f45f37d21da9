// CPU time, memory and disk that processes use, sampled while they run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

namespace flamingo::local {

class resource_use {
public:
  /// Reads what process `pid` has used so far. Cheap: a few times a second is fine.
  void sample(int pid);
  /// The same of a validator, with its store's file.
  void sample(int pid, const std::filesystem::path& store);

  /// CPU seconds of all processes ever sampled, as of their last sample.
  double cpu_seconds() const;
  double anonymous_memory_mib_max() const { return mib(memory_max_); }  // of one validator
  double store_mib_max() const { return mib(store_max_); }              // blocks of one store

private:
  static double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

  std::map<int, double> cpu_;  // by pid
  std::uint64_t memory_max_ = 0, store_max_ = 0;
};

}  // namespace flamingo::local
