// One run of a whole network on this machine: validators as processes, load as another, kills if
// wished; then the counts of all of them.
#pragma once

#include <chrono>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "apps/flamingo/network_plan.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"

namespace flamingo::local {

struct run_plan {
  network_plan network;  // ports are chosen by the run
  std::uint64_t rate = 1000, seed = 1;
  std::uint32_t transaction_bytes = 512;
  std::chrono::seconds length{30};
  std::string skew;       // as of flamingo client
  std::size_t kills = 0;  // kill -9 of validators under load
  std::filesystem::path series;
  bool terminal = false;  // a table that is drawn again each second; else nothing
};

struct run_result {
  nlohmann::ordered_json line;  // what --json prints
  std::string complaint;        // why the run is no success; empty: it is
};

/// Makes the network, runs the load, waits until every validator executed what was committed, and
/// stops it. Ends the processes that it started, and no others. Throws std::runtime_error, one
/// line, if a validator or the load fails, or `stop` says so.
run_result run(run_plan plan, runtime::stop_signal& stop, std::ostream& progress);

}  // namespace flamingo::local
