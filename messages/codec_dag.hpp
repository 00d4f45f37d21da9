// Bytes <-> the certified DAG's values (schema/dag.capnp).
//
// A decoder gives nothing for bytes that are no well-formed message of the kind: every list within
// `dag_limits` before anything is allocated for it, every digest and signature of its size, a
// header's body flat (messages/codec_signed.hpp). What a value means, who its author is, and
// whether signatures are right is for others to check.
#pragma once

#include <optional>
#include <variant>

#include "messages/codec_signed.hpp"
#include "messages/dag.hpp"
#include "messages/dag_limits.hpp"
#include "messages/frame.hpp"
#include "messages/schema/dag.capnp.h"

namespace flamingo {

/// What primaries say to each other.
using peer_message = std::variant<signed_header, vote, certificate, certified_header,
                                  header_request, round_range, range_gone>;

// -- headers

/// The body of a header, to be hashed and signed. `id` and the `counts_digest`s do not travel.
shared_bytes encode_header(const header&);

/// A header's identity: hash(tags::header, body).
digest header_id(byte_span body);

/// Fills in `id` and the digests of the account counts, which it hashes.
std::optional<header> decode_header(byte_span body, const dag_limits&);
std::optional<signed_header> decode(const wire<schema::Signed>&, const dag_limits&);

/// The implicit certificate of round 0 that every validator has. Its header never exists, is never
/// on the wire and never output; its digest is SHA-256(tag ‖ chain id ‖ validator).
digest genesis_header(const digest& chain, validator_id);

// -- certificates within other messages

void write(const certificate& from, schema::Certificate::Builder into);
/// False unless there are exactly as many signatures as bits. The votes are not checked.
bool read(schema::Certificate::Reader in, std::size_t validators, certificate& into);

// -- certified headers

wire<schema::CertifiedHeader> encode(const certified_header&);
/// Nothing, too, if the certificate is for another header. The votes are not checked.
std::optional<certified_header> decode(const wire<schema::CertifiedHeader>&, const dag_limits&);

// -- the conversation

wire<schema::PeerMessage> encode_peer(const signed_bytes& header);
wire<schema::PeerMessage> encode_peer(const vote&);
wire<schema::PeerMessage> encode_peer(const certificate&);
wire<schema::PeerMessage> encode_peer(const certified_header&);
wire<schema::PeerMessage> encode_peer(const header_request&);
wire<schema::PeerMessage> encode_peer(const round_range&);
wire<schema::PeerMessage> encode_peer(const range_gone&);

/// A stored certified header as an answer, without decoding it. Nothing if it is not readable.
std::optional<wire<schema::PeerMessage>> encode_peer(const wire<schema::CertifiedHeader>&);

std::optional<peer_message> decode(const wire<schema::PeerMessage>&, const dag_limits&);

}  // namespace flamingo
