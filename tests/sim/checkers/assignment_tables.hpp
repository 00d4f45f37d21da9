// Assignment tables: at every commit the account-assignment table is the same at all honest
// validators.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

violations assignment_tables(const history&);

}  // namespace flamingo::sim::checkers
