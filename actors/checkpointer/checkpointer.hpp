// CHECKPOINTER: says what the log and the state are at each checkpoint, collects what the others
// say, proves checkpoints to validators that come back, and notices if this one's state is not the
// others' (design: the certified DAG, "Checkpoints").
//
// Pure state machine. The shell in checkpointer_actor.hpp hashes, signs, checks and sends.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "actors/errors.hpp"
#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"
#include "actors/worker/rate_limit.hpp"
#include "messages/checkpoint.hpp"
#include "messages/committee.hpp"
#include "messages/verified.hpp"

namespace flamingo::checkpointer {

// -- inputs

struct started {};
/// A checkpoint's commit is durable, and this is its ledger's digest and size.
struct ledger_written {
  commit_index index;
  digest ledger;
  std::uint64_t bytes = 0;
};
/// The executors' state root at a commit.
struct root_known {
  commit_index index;
  digest root;
};
/// The shell hashed and signed what `effects::sign` asked for.
struct summary_signed {
  checkpoint_summary what;
  checkpoint record;
};
/// A record of a header that commit `in` output.
struct record_committed {
  commit_index in;
  validator_id author;
  verified<checkpoint> record;
};
/// A peer asks for parts of a checkpoint: about `bytes` of them.
struct part_asked {
  validator_id from;
  std::uint64_t bytes = 0;
};
using input =
    std::variant<started, ledger_written, root_known, summary_signed, record_committed, part_asked>;

// -- effects

/// This validator's state is not what f+1 others signed: it must not execute, admit or receipt.
struct divergence {
  commit_index index;  // the first checkpoint that differs
  digest own, theirs;

  friend bool operator==(const divergence&, const divergence&) = default;
};

/// Performed top to bottom.
struct effects {
  std::optional<checkpoint_summary> sign;  // answered with summary_signed
  std::optional<checkpoint_proof> proven;  // store: what peers are told from now on
  std::optional<divergence> diverged;      // store; then stop the roles that depend on the state
  std::optional<checkpoint> offer;         // to the primary, for its next header
  bool serve = false;                      // the part that was asked for
  std::vector<reject> rejected;
};

// -- state

/// What the store held.
struct recovered {
  std::optional<checkpoint_proof> proven;
  std::optional<divergence> diverged;
};

struct parameters {
  std::size_t validators = 0, validity = 0;  // n, f + 1
  std::uint64_t checkpoint_anchors = 0;
  std::uint64_t served_bytes_per_second = 0;  // to one peer

  static parameters of(const committee&, const protocol_parameters&, const local_parameters&);
};

class core {
public:
  core(const parameters& p, recovered stored)
      : parameters_(p),
        proven_(std::move(stored.proven)),
        diverged_(stored.diverged),
        serving_(p.validators, worker::rate_limit(p.served_bytes_per_second)) {}

  effects step(time_point now, const input& in);

  /// The newest checkpoint that f+1 validators signed alike, this one among the honest.
  const std::optional<checkpoint_proof>& proven() const { return proven_; }
  const std::optional<divergence>& diverged() const { return diverged_; }
  std::size_t open() const { return open_.size(); }

private:
  /// Checkpoints that are looked at together: older ones are given up.
  static constexpr std::size_t open_max = 8;

  struct entry {
    std::optional<ledger_written> ledger;
    std::optional<digest> root;
    std::optional<checkpoint_summary> own;
    digest own_digest;
    std::map<validator_id, checkpoint> said;  // the first of each author
  };

  void on(const started&, effects&);
  void on(const ledger_written&, effects&);
  void on(const root_known&, effects&);
  void on(const summary_signed&, effects&);
  void on(const record_committed&, effects&);
  void on(const part_asked&, effects&);
  entry* at(commit_index);
  void sign_if_known(commit_index, const entry&, effects&) const;
  void judge(commit_index, const entry&, effects&);

  parameters parameters_;
  time_point now_;
  std::optional<checkpoint_proof> proven_;
  std::optional<divergence> diverged_;
  std::map<commit_index, entry> open_;
  std::vector<worker::rate_limit> serving_;  // by peer
};

}  // namespace flamingo::checkpointer
