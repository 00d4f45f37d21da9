// Control records: what headers carry so that the committed log decides it (design: ordering-layer
// balancing).
#pragma once

#include <variant>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo {

struct migration_decision {
  commit_index anchor;  // the decision anchor
  digest decision;      // of the decision's body, as this header's author computed it
  friend bool operator==(const migration_decision&, const migration_decision&) = default;
};

struct migration_acceptance {
  commit_index anchor;
  digest decision;
  bool accepted = false;
  friend bool operator==(const migration_acceptance&, const migration_acceptance&) = default;
};

struct capacity_declaration {
  std::uint64_t period = 0;  // balance period
  std::uint64_t transactions_per_second = 0;
  friend bool operator==(const capacity_declaration&, const capacity_declaration&) = default;
};

struct checkpoint {
  commit_index index;
  digest state;
  signature sig;
  friend bool operator==(const checkpoint&, const checkpoint&) = default;
};

struct halt {
  digest next_committee;
  friend bool operator==(const halt&, const halt&) = default;
};

using control_record =
    std::variant<migration_decision, migration_acceptance, capacity_declaration, checkpoint, halt>;

}  // namespace flamingo
