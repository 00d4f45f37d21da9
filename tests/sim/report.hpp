// What a run came to, as one line for a person or for a program.
#pragma once

#include <string>

#include "tests/sim/simulation.hpp"

namespace flamingo::sim {

/// @param seconds of real time that the run took
std::string line_of(const scenario&, const outcome&, double seconds);
std::string json_of(const scenario&, const outcome&, double seconds);

}  // namespace flamingo::sim
