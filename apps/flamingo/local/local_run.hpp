// One run of a whole network on this machine: validators as processes, load as another, faults if
// wished; then the counts of all of them.
#pragma once

#include <chrono>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "apps/flamingo/local/chaos_plan.hpp"
#include "apps/flamingo/local/progress.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"

namespace flamingo::local {

struct run_plan {
  network_plan network;  // ports are chosen by the run
  std::uint64_t rate = 1000, seed = 1;
  std::uint32_t transaction_bytes = 512;
  std::chrono::seconds length{30};
  std::string skew;  // as of flamingo client
  chaos faults;      // under load
  std::filesystem::path series;
  progress::style shows = progress::style::none;
};

struct run_result {
  nlohmann::ordered_json line;  // what --json prints
  std::string complaint;        // why the run is no success; empty: it is
  bool interrupted = false;     // that a signal ended the load early is all there is to complain of
};

/// A signal came when there was nothing to be counted, or a second one did.
class stopped_by_signal : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Makes the network, runs the load, waits until every validator executed what was committed, and
/// stops it. Ends the processes that it started, and no others. A signal ends the load early, and
/// what ran is counted; a second one ends all at once. Throws std::runtime_error, one line, if a
/// validator or the load fails; stopped_by_signal.
run_result run(run_plan plan, runtime::stop_signal& stop, std::ostream& tell);

}  // namespace flamingo::local
