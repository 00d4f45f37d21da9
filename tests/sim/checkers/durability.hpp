// Durability: what a validator promised to others is on its disk when it loses power (design:
// "Durable before it leaves"). Judged at every crash.
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// What one validator let others see, over all its lives.
struct promises {
  std::map<dag_position, digest> votes;     // for others' headers and its own
  std::map<round_number, digest> headers;   // its own
  std::map<digest, validator_id> batches;   // acknowledged as stored, and whose they are
  std::set<commit_index> receipts;          // commits of which it gave receipts
  std::vector<std::string> contradictions;  // two votes of a position, two headers of a round
};

/// What is on its disk.
struct kept {
  round_number floor;  // what is at or below it may be deleted
  std::map<dag_position, digest> votes;
  std::map<round_number, digest> headers;
  std::set<digest> batches;
  std::set<digest> dead_batches;  // that may be deleted: executed, or of dead headers
  commit_index last_commit;
};

violations durability(validator_id who, const promises&, const kept&);

}  // namespace flamingo::sim::checkers
