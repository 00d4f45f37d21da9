// Bytes <-> values of the conversation between a client and a worker (schema/client.capnp).
// Bundles' insides are in codec_bundle.hpp.
//
// `decode` gives nothing for bytes that are no well-formed message of the kind; it allocates no
// more than a constant times the frame.
#pragma once

#include <optional>

#include "messages/client.hpp"
#include "messages/frame.hpp"
#include "messages/schema/client.capnp.h"

namespace flamingo {

/// Bodies share the frame's bytes.
/// @param body_max of a bundle or of receipts, bytes.
std::optional<client_message> decode(const wire<schema::ClientMessage>&, std::size_t body_max);
wire<schema::ClientMessage> encode(const client_message&);
/// What a client says. What only a worker says is not looked into.
std::optional<client_request> decode_request(const wire<schema::ClientMessage>&,
                                             std::size_t body_max);

/// The body of receipts, to be signed.
shared_bytes encode_receipts(const receipts&);
/// Nothing unless it is a flat message with at most `max_receipts_per_message` receipts.
std::optional<receipts> decode_receipts(byte_span body);

wire<schema::AssignmentUpdate> encode(const assignment_update&);
std::optional<assignment_update> decode(const wire<schema::AssignmentUpdate>&);

}  // namespace flamingo
