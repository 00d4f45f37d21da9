// What is signed, and who signs and checks it (paper §2, "every message is authenticated").
//
// A signature is Ed25519 over tag ‖ chain id ‖ committee epoch ‖ digest, so that nothing signed in
// one role, on one chain, or in one epoch means anything in another. Clients' bundles leave out the
// epoch: no change of the committee invalidates them. Signer and scheme are interfaces so that the
// simulator can inject the cheap ones of crypto/fake_signing.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>

#include "crypto/hash.hpp"
#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::crypto {

/// Where a signature of a validator is valid.
struct signing_context {
  digest chain;  // SHA-256 of the genesis committee file
  epoch_id epoch;
};

/// The exact bytes that a signature covers. Fixed in size: nothing is allocated to build one.
class signing_input {
public:
  static constexpr std::size_t size_max = 32 + 32 + 8 + 32;

  signing_input(const tag& kind, const signing_context& context, const digest& what);
  /// Without an epoch, for what outlives committees.
  signing_input(const tag& kind, const digest& chain, const digest& what);

  operator byte_span() const { return {bytes_.data(), size_}; }

private:
  void append(byte_span part);

  std::array<byte, size_max> bytes_{};
  std::size_t size_ = 0;
};

/// An author's header; `header` is hash(tags::header, body).
signing_input header_statement(const signing_context&, const digest& header);

/// A vote for a header. The voter is not part of it: all signatures of a certificate, the author's
/// own vote included, are checked against the same bytes, each with its voter's key.
signing_input vote_statement(const signing_context&, const digest& header, validator_id author,
                             round_number round);

/// A validator's receipts for a client; `receipts` is hash(tags::receipts, body).
signing_input receipts_statement(const signing_context&, const digest& receipts);

/// A checkpoint record; `checkpoint` is hash(tags::checkpoint, fields).
signing_input checkpoint_statement(const signing_context&, const digest& checkpoint);

/// A client's bundle; `bundle` is hash(tags::bundle, body). Bound to the chain, valid in every
/// epoch.
signing_input bundle_statement(const digest& chain, const digest& bundle);

/// Holds a private key. Const members may be called from several threads at once.
class signer {
public:
  virtual ~signer() = default;
  virtual public_key key() const = 0;
  virtual signature sign(byte_span message) const = 0;
};

/// Checks signatures. Const members may be called from several threads at once.
class signature_scheme {
public:
  virtual ~signature_scheme() = default;
  /// False for anything but a signature of `message` by `key`, whatever the bytes are. Never
  /// throws.
  virtual bool verify(const public_key& key, byte_span message, const signature& sig) const = 0;
};

/// Ed25519 (RFC 8032, pure), with a key in memory.
class ed25519_signer final : public signer {
public:
  using seed = std::array<byte, 32>;  // RFC 8032's private key

  explicit ed25519_signer(const seed& s);
  ~ed25519_signer() override;

  /// A new key from the operating system's randomness.
  static ed25519_signer generate();

  /// Reads a key file: 64 hexadecimal digits and a newline, mode 0600. Throws file_error.
  static ed25519_signer load(const std::filesystem::path& file);
  /// Writes a key file. Throws file_error; never overwrites.
  void save(const std::filesystem::path& file) const;

  ed25519_signer(ed25519_signer&&) noexcept;
  ed25519_signer& operator=(ed25519_signer&&) noexcept;

  public_key key() const override;
  signature sign(byte_span message) const override;

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Ed25519. Parsed keys are kept: a committee's members and clients sign again and again.
class ed25519_scheme final : public signature_scheme {
public:
  /// Keys beyond this number are parsed anew at each use; no peer can make the cache grow, since
  /// only keys of the committee file are ever asked for.
  static constexpr std::size_t parsed_keys_max = 16384;

  ed25519_scheme();
  ~ed25519_scheme() override;

  bool verify(const public_key& key, byte_span message, const signature& sig) const override;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace flamingo::crypto
