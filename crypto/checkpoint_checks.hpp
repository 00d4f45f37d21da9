// What a checkpoint is named by and who vouches for it (design: the certified DAG, "Checkpoints").
#pragma once

#include <optional>

#include "crypto/dag_checks.hpp"
#include "messages/checkpoint.hpp"
#include "messages/verified.hpp"

namespace flamingo::crypto {

/// SHA-256(tags::ledger, bytes).
digest ledger_digest(byte_span ledger);

/// SHA-256(tags::checkpoint, index, state root, ledger digest, ledger bytes): what a Checkpoint
/// record carries and its author signs.
digest checkpoint_digest(const checkpoint_summary&);

/// The record's signature, by the author of the header that carries it.
std::optional<verified<checkpoint>> check_checkpoint(const signature_scheme&, const committee&,
                                                     validator_id author, const checkpoint& x);

/// f+1 right signatures of distinct members: at least one honest validator made this checkpoint.
std::optional<verified<checkpoint_proof>> check_proof(const signature_scheme&, const committee&,
                                                      checkpoint_proof x);

}  // namespace flamingo::crypto
