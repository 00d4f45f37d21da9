// Bytes <-> values of the conversation about checkpoints (schema/dag.capnp), which travels
// among the primaries' messages.
//
// `decode` gives nothing for bytes that are no well-formed message of the kind. It allocates no
// more than a constant times the frame. Signatures are not checked.
#pragma once

#include <optional>

#include "messages/checkpoint.hpp"
#include "messages/frame.hpp"
#include "messages/schema/dag.capnp.h"
#include "messages/schema/validator.capnp.h"

namespace flamingo {

/// Whether a message is of this conversation.
bool is_checkpoint(const wire<schema::PeerMessage>&);

wire<schema::PeerMessage> encode(const checkpoint_message&);
std::optional<checkpoint_message> decode_checkpoint(const wire<schema::PeerMessage>&,
                                                    std::size_t validators);

wire<schema::LedgerMade> encode(const ledger_made&);
std::optional<ledger_made> decode(const wire<schema::LedgerMade>&);

}  // namespace flamingo
