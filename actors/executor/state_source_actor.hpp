// The state source: gives peers that come back buckets of this validator's snapshots, each with its
// way to the state root, so that it proves itself (design: "State root"). Lives with the executors,
// whose store holds the snapshots.
#pragma once

#include <optional>

#include "actors/executor/snapshots_actor.hpp"
#include "actors/executor/state_tree.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"

namespace flamingo::executor {

struct source_state {
  static inline const char* name = "state_source";

  runtime::environment_ptr env;
  /// Over the snapshot that was asked for last: a start takes one pass over it.
  std::optional<state_tree> tree;
  commit_index tree_of;
};

state_source::behavior_type source_shell(state_source::stateful_pointer<source_state> self,
                                         runtime::environment_ptr env);

}  // namespace flamingo::executor
