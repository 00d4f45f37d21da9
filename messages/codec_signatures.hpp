// Signatures of several validators over one statement, as certificates and checkpoints carry them:
// a bitmap of who signed, bit i mod 8 of byte i / 8 for validator i, and 64 bytes a signer,
// ascending.
#pragma once

#include <capnp/blob.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::codec {

using signatures = std::vector<std::pair<validator_id, signature>>;

/// @param from ascending by validator.
template <class Builder>
void write_signatures(const signatures& from, Builder into) {
  if (from.empty()) return;
  auto signers = into.initSigners(static_cast<kj::uint>(from.back().first.value / 8 + 1));
  auto bytes = into.initSignatures(static_cast<kj::uint>(from.size() * signature::size));
  byte* out = bytes.begin();
  for (const auto& [signer, sig] : from) {
    signers[signer.value / 8] =
        static_cast<byte>(signers[signer.value / 8] | 1 << signer.value % 8);
    out = std::copy(sig.bytes.begin(), sig.bytes.end(), out);
  }
}

/// False unless there are exactly as many signatures as bits: no byte is without a meaning.
template <class Reader>
bool read_signatures(Reader in, std::size_t validators, signatures& into) {
  const capnp::Data::Reader signers = in.getSigners();
  const capnp::Data::Reader bytes = in.getSignatures();
  if (signers.size() > (validators + 7) / 8) return false;
  const byte* next = bytes.begin();
  for (std::size_t i = 0; i < 8 * signers.size(); ++i) {
    if ((signers[i / 8] >> i % 8 & 1) == 0) continue;
    if (i >= validators || bytes.end() - next < std::ptrdiff_t{signature::size}) return false;
    auto& [signer, sig] = into.emplace_back();
    signer = validator_id{static_cast<std::uint16_t>(i)};
    std::copy(next, next + signature::size, sig.bytes.begin());
    next += signature::size;
  }
  return next == bytes.end();
}

}  // namespace flamingo::codec
