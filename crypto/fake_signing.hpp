// SIMULATOR ONLY: signatures that cost one hash. Whoever knows a public key can forge them, so a
// Byzantine behaviour that runs on them must not. Injected in place of Ed25519, behind the same
// interfaces.
#pragma once

#include <algorithm>

#include "crypto/signing.hpp"

namespace flamingo::crypto {

/// The keyed hash that stands for a signature of `message` by `key`.
inline signature fake_signature(const public_key& key, byte_span message) {
  static const tag kind = tag_of("fake-signature");
  const auto mac = hash({kind, key, message});
  signature out;
  std::copy(mac.bytes.begin(), mac.bytes.end(), out.bytes.begin());
  std::copy(mac.bytes.begin(), mac.bytes.end(), out.bytes.begin() + 32);
  return out;
}

class fake_signer final : public signer {
public:
  /// Equal names have equal keys.
  explicit fake_signer(std::string_view name)
      : key_{hash(tag_of("fake-key"), as_bytes(name)).bytes} {}

  public_key key() const override { return key_; }
  signature sign(byte_span message) const override { return fake_signature(key_, message); }

private:
  public_key key_;
};

class fake_scheme final : public signature_scheme {
public:
  bool verify(const public_key& key, byte_span message, const signature& sig) const override {
    return fake_signature(key, message) == sig;
  }
};

}  // namespace flamingo::crypto
