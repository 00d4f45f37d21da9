// Agreement: the logs of honest validators are prefixes of each other, byte for byte, and each log
// is one chain from the first commit on.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

violations agreement(const history&);

}  // namespace flamingo::sim::checkers
