// The scheduler benchmark: how long schedulers take to plan, and how good their plans are, on the
// same stream of batches (the paper's figures 8 to 10; design: execution-layer load balancing,
// "Baselines", which defines remote read, work and speed-up).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "apps/flamingo/bench/key_sets.hpp"

namespace flamingo::bench {

/// What a remote read costs, as a share of a transaction.
inline constexpr std::array remote_read_costs{0.0, 0.5, 1.0};

struct scheduler_result {
  std::string scheduler;
  key_set_load load;
  double us_p50 = 0, us_p99 = 0;  // to plan 1000 transactions
  double remote_reads = 0;        // for 1000 transactions
  double load_max_over_mean = 0;  // transactions of the busiest executor of each batch ÷ the mean
  std::array<double, remote_read_costs.size()> speedup{};  // for each cost, over one executor
};

/// Gives every scheduler the same `batches` batches of 1000, one after another, each with a
/// partition map of its own. Between two plans the values of the accounts are written, as when the
/// batch is executed, so that a map is no better cached than in a validator.
/// @param accounts at least 10,000.
std::vector<scheduler_result> measure(const std::vector<std::string>& schedulers,
                                      const key_set_load&, std::uint32_t accounts,
                                      std::size_t batches);

}  // namespace flamingo::bench
