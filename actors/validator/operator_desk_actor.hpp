// The operator desk: answers an operator's questions over the link they came by. It asks the
// committer, which knows how far ordering and execution are, and the primary, which keeps the
// evidence of equivocation.
#pragma once

#include "actors/interfaces.hpp"

namespace flamingo::operator_desk {

struct state {
  static inline const char* name = "operator_desk";
};

operator_desk_actor::behavior_type shell(operator_desk_actor::stateful_pointer<state> self,
                                         committer_actor committer, primary_actor primary);

}  // namespace flamingo::operator_desk
