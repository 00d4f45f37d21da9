// Lazy observers: whoever knows the certified DAG outputs the same log, in whatever causal order it
// came to know it and however rarely it looks at the commit rule (design: the certified DAG and
// Tusk). They run the real rule (actors/committer/tusk.hpp); an observer that looks at every
// arrival hides a wrong walk back.
#pragma once

#include <functional>

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// Who leads a wave: from the coin of the simulation.
using leader_function = std::function<validator_id(wave_number)>;

/// @param observers how many, each with another order and laziness from `seed`.
violations lazy_observers(const history&, const leader_function&, std::uint64_t seed,
                          unsigned observers);

}  // namespace flamingo::sim::checkers
