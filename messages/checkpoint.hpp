// Checkpoints: what f+1 validators' signatures say that the log had made, and the conversation in
// which one that lost its store, or is too far behind, fetches it (design: the certified DAG,
// "Recovery, history, checkpoints").
#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "messages/dag.hpp"
#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/shared_bytes.hpp"

namespace flamingo {

/// What is signed. Equal at all honest validators.
struct checkpoint_summary {
  commit_index index;
  digest state_root;  // of the application's state after that commit
  digest ledger;      // SHA-256(tags::ledger, ledger): of everything else that the log made
  std::uint64_t ledger_bytes = 0;

  friend bool operator==(const checkpoint_summary&, const checkpoint_summary&) = default;
};

struct checkpoint_proof {
  checkpoint_summary what;
  std::vector<std::pair<validator_id, signature>> signatures;  // ascending by validator

  friend bool operator==(const checkpoint_proof&, const checkpoint_proof&) = default;
};

/// Committer to checkpointer: the commit is durable, and this is its ledger.
struct ledger_made {
  commit_index index;
  std::vector<byte> ledger;

  friend bool operator==(const ledger_made&, const ledger_made&) = default;
};

// -- the conversation

/// "Where are you, and which checkpoint can you prove?"
struct checkpoint_query {
  friend bool operator==(checkpoint_query, checkpoint_query) = default;
};
struct checkpoint_answer {
  std::optional<certificate>
      newest;  // of the highest round that is complete there; none at genesis
  std::optional<checkpoint_proof> checkpoint;
};
struct ledger_request {
  commit_index index;
  std::uint64_t offset = 0;

  friend bool operator==(const ledger_request&, const ledger_request&) = default;
};
struct ledger_part {
  commit_index index;
  std::uint64_t offset = 0;
  std::vector<byte> bytes;  // none: it is not kept any more

  friend bool operator==(const ledger_part&, const ledger_part&) = default;
};
/// Buckets of the state tree that make a subtree: `count` is a power of two that divides `first`.
struct state_request {
  commit_index index;
  std::uint32_t first = 0, count = 0;

  friend bool operator==(const state_request&, const state_request&) = default;
};
/// As many of them as fit, a subtree again; none: the snapshot is not kept any more.
struct state_part {
  commit_index index;
  std::uint32_t first = 0;
  std::vector<std::vector<byte>> buckets;  // as a snapshot stores each; empty: no key exists in it
  std::vector<digest>
      path;  // from the subtree's root to the state root: the other child, bottom up

  friend bool operator==(const state_part&, const state_part&) = default;
};

using checkpoint_message = std::variant<checkpoint_query, checkpoint_answer, ledger_request,
                                        ledger_part, state_request, state_part>;

/// Bytes of a ledger or of buckets that one message carries, about; one bucket goes in any case.
inline constexpr std::size_t checkpoint_part_bytes = 256 << 10;

}  // namespace flamingo
