// One run: a scenario in a world, with clients, faults and checkers.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tests/sim/checkers/violation.hpp"
#include "tests/sim/scenario.hpp"

namespace flamingo::sim {

struct outcome {
  checkers::violations found;
  std::uint64_t trace_hash = 0;
  std::uint64_t frames = 0;  // that arrived
  std::uint64_t commits = 0, rounds = 0;
  std::uint64_t bundles = 0, duplicates = 0, receipts = 0;  // fresh ones; all of them
  unsigned crashes = 0, cuts = 0, executor_crashes = 0;
  std::uint64_t regroups = 0;  // executors that were added or removed, at all validators
  duration calm_to_live{};     // from the last fault until everything worked
  duration virtual_time{};

  bool holds() const { return found.empty(); }
};

/// @param print gets the lines of the trace; may be empty.
outcome simulate(const scenario&, std::function<void(const std::string&)> print);

}  // namespace flamingo::sim
