// What a run was like each second, as CSV for apps/plots/timeline.py.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/flamingo/status/status_table.hpp"
#include "messages/committee.hpp"

namespace flamingo::local {

/// Rates of one second. `executed` and `committed` are the fastest validator's: what the network
/// did, even while one is down.
struct second {
  double at = 0;  // seconds since the load began
  double offered_tps = 0, completed_tps = 0, committed_tps = 0, executed_tps = 0;
  double latency_p50_ms = 0, latency_p99_ms = 0;
  std::vector<std::optional<double>> queue_ms;  // by validator
  std::string event;                            // "v2 killed"
};

/// Whether the seconds that a line of `flamingo client --json` tells of were mostly ones of load,
/// and long enough for a rate: what comes after the load only waits for receipts.
bool covers_load(const nlohmann::json& load);

/// @param load a line of `flamingo client --json`.
second second_of(const status::sample& x, const nlohmann::json& load, std::string event);

class timeline {
public:
  /// Writes the heading. Throws std::runtime_error. An empty path: nothing is written.
  timeline(const std::filesystem::path& file, const committee& members);
  void add(const second& x);

private:
  std::ofstream out_;
};

}  // namespace flamingo::local
