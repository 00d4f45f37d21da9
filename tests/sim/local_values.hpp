// Local parameters of one simulated validator: what its operator may set, drawn at random. They may
// never change a vote's verdict, an order or a state, and no value within their bounds may halt the
// chain.
#pragma once

#include "actors/local_parameters.hpp"
#include "tests/sim/random.hpp"

namespace flamingo::sim {

/// Other delays everywhere; what is kept, cached and served is ample.
local_parameters other_delays(random_source&);

/// About half of all values at or near the lowest that the parameters' bounds allow.
local_parameters small_values(random_source&);

}  // namespace flamingo::sim
