// The operator desk: answers an operator's questions over the link they came by. It asks the
// committer, which knows how far ordering and execution are, the primary, which keeps the evidence
// of equivocation, and the executor group; and it watches the roles that may run in other
// processes.
#pragma once

#include <caf/actor_addr.hpp>

#include <map>
#include <set>

#include "actors/interfaces.hpp"

namespace flamingo::operator_desk {

/// Roles of one kind that were introduced, and those of them that have ended since.
template <class Id>
struct watched_roles {
  std::map<Id, caf::actor_addr> known;
  std::set<Id> absent;
};

struct state {
  static inline const char* name = "operator_desk";
  watched_roles<worker_id> workers;
  watched_roles<executor_id> executors;
  scale_sink group;
};

operator_desk_actor::behavior_type shell(operator_desk_actor::stateful_pointer<state> self,
                                         committer_actor committer, primary_actor primary);

}  // namespace flamingo::operator_desk
