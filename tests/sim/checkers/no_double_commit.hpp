// No double commit: no header is output twice, at most one header of an author and round is ever
// certified, and no bundle is fresh twice.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

violations no_double_commit(const history&);

}  // namespace flamingo::sim::checkers
