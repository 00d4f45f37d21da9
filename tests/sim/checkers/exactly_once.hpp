// Exactly once: the sequencer's verdicts are those of a plain one, a bundle for which a client has
// f+1 receipts is in the log as they say, and, once liveness is back, so is every bundle that was
// admitted.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// What must hold at any time.
violations exactly_once(const history&);

/// What must hold at the end of a run in which liveness came back.
violations admitted_are_committed(const history&);

}  // namespace flamingo::sim::checkers
