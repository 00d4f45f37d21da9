// Liveness: within a bound of the last fault every honest validator has caught up and commits go
// on, and every bundle that a client offered has f+1 receipts.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// How long each log was when the last fault was over.
using log_lengths = std::vector<std::size_t>;
log_lengths lengths(const history&);

/// Whether every honest validator passed the longest log of that time by `commits`.
bool commits_go_on(const history&, const log_lengths& then, std::uint64_t commits);
/// Whether every offered bundle has f+1 receipts that say the same.
bool all_answered(const history&);

/// What is missing of both, in words.
violations liveness(const history&, const log_lengths& then, std::uint64_t commits);

}  // namespace flamingo::sim::checkers
