// Bytes with a signature over them, as they travel in a Signed (schema/signed.capnp).
#pragma once

#include "messages/shared_bytes.hpp"

namespace flamingo {

/// The exact bytes that were signed. Whether the signature is right is not said.
struct signed_bytes {
  shared_bytes body;
  signature sig;
};

}  // namespace flamingo
