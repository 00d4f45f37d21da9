// Deletion: a batch that a validator said that it stores, or voted for, stays in its store until
// the log has output it and a snapshot has passed that, and as long as history is kept; or the log
// passed it by, and no commit that is sequenced here without a snapshot behind it has it; and in
// any case until no header that it voted for can bring it (design: "Durable before it leaves";
// docs/security.md, "What peers store of an author that is gone").
#pragma once

#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"

namespace flamingo::sim::checkers {

/// A batch that a validator's store gave up, and what counted there at that moment.
struct deleted_batch {
  digest id;
  validator_id author;
  round_number anchor;                       // of its newest commit
  commit_index snapshot;                     // its newest complete one
  bool as_orphan = false;                    // it counted as one that the log passed by
  std::optional<commit_index> committed;     // by the first commit of its log that output the batch
  duration committed_since{};                // how long ago that was
  duration history{};                        // how long it keeps committed ones at least
  std::optional<round_number> acknowledged;  // the anchor it knew when it last told its author so
  round_number voted;  // of the newest header that lists it and that it voted for; 0: none
};

violations deletion(validator_id who, const deleted_batch&, std::uint64_t gc_depth);

}  // namespace flamingo::sim::checkers
