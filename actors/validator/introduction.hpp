// Who knows whom within a validator. A role may be introduced again, to a neighbour that restarted.
#pragma once

#include "actors/interfaces.hpp"

namespace flamingo::validator {

/// Tells the roles in `here` about their neighbours in `all` (which includes `here`).
void introduce(const role_handles& here, const role_handles& all);

/// Tells the desk which workers to watch.
void introduce_workers(const operator_desk_actor& desk, const role_handles& all);

/// Tells the roles in `here` to begin. Their neighbours must have been introduced.
void begin(const role_handles& here);

}  // namespace flamingo::validator
