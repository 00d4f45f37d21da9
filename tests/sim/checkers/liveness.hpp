// Liveness: within a bound of the last fault every honest validator that is not dead has caught up,
// commits, executes and gives receipts, and every bundle that a client offered has f+1 receipts.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// The most sub-DAGs that a validator's executors may be behind its log when all is well.
inline constexpr std::uint64_t execution_lag_max = 20;

/// How long each log was when the last fault was over.
using log_lengths = std::vector<std::size_t>;
log_lengths lengths(const history&);

/// Whether every honest validator passed the longest log of that time by `commits`.
bool commits_go_on(const history&, const log_lengths& then, std::uint64_t commits);
/// Whether so did its executors, no more than `execution_lag_max` behind its log, and whether
/// clients heard of it what came of bundles that were committed since.
bool executes_on(const history&, const log_lengths& then, std::uint64_t commits);
/// Whether every offered bundle has f+1 receipts that say the same.
bool all_answered(const history&);

/// What is missing of all that, in words.
violations liveness(const history&, const log_lengths& then, std::uint64_t commits);

}  // namespace flamingo::sim::checkers
