// Signed bytes <-> a body and its signature (design: the certified DAG, "Identity, bytes,
// parameters").
//
// What is signed is a flat message: one segment and no byte besides it. Several encodings of the
// same values are possible all the same, so digests and signatures are over the bytes that travel,
// and nobody encodes a received body anew.
#pragma once

#include <optional>

#include "messages/assert.hpp"
#include "messages/frame.hpp"
#include "messages/schema/signed.capnp.h"
#include "messages/signed_bytes.hpp"

namespace flamingo {

/// Whether `body` has the form of a flat message: a segment table that names one segment, and
/// exactly its words.
bool is_flat_message(byte_span body);

/// Calls `f(Schema::Reader)` if `body` is a flat message, and says whether it was readable
/// throughout (as wire::read).
template <class Schema, class F>
bool read_body(byte_span body, F&& f) {
  return is_flat_message(body) &&
         wire<Schema>::read_words(
             body, [&](capnp::MessageReader& message) { f(message.template getRoot<Schema>()); });
}

/// A body to be signed: `build(Schema::Builder)` fills it in.
/// @param words a bound on its size; a wrong one is our bug.
template <class Schema, class F>
shared_bytes encode_body(std::size_t words, F&& build) {
  capnp::MallocMessageBuilder message(static_cast<kj::uint>(words));
  build(message.template initRoot<Schema>());
  FLAMINGO_ASSERT(message.getSegmentsForOutput().size() == 1);
  return wire<Schema>(message).bytes();
}

/// The body shares the frame's bytes. Nothing unless the body is a flat message of at most
/// `body_max` bytes and the signature has its size.
std::optional<signed_bytes> decode(const wire<schema::Signed>&, std::size_t body_max);
std::optional<signed_bytes> decode(const shared_bytes& frame, schema::Signed::Reader,
                                   std::size_t body_max);

wire<schema::Signed> encode(const signed_bytes&);
void write(const signed_bytes& from, schema::Signed::Builder into);

}  // namespace flamingo
