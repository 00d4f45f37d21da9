// Ed25519 through OpenSSL's one-shot interface (RFC 8032 needs the whole message at once).
#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "crypto/openssl_handles.hpp"
#include "crypto/secret_file.hpp"
#include "crypto/signing.hpp"

namespace flamingo::crypto {

namespace {

// A context keeps the key of its last use, so it is cleared before the next.
EVP_MD_CTX* cleared_context() {
  thread_local const evp_digest_context context(must(EVP_MD_CTX_new(), "a signing context"));
  must(EVP_MD_CTX_reset(context.get()) == 1, "the reset of a signing context");
  return context.get();
}

evp_key parse(const public_key& key) {
  return evp_key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, key.bytes.data(), key.size));
}

bool matches(EVP_PKEY* key, byte_span message, const signature& sig) {
  auto* context = cleared_context();
  const bool ok =
      EVP_DigestVerifyInit(context, nullptr, nullptr, nullptr, key) == 1 &&
      EVP_DigestVerify(context, sig.bytes.data(), sig.size, message.data(), message.size()) == 1;
  if (!ok) ERR_clear_error();  // a forged signature is no error of ours
  return ok;
}

// Public keys are uniform bytes.
struct leading_bytes {
  std::size_t operator()(const public_key& key) const { return leading_u64(key.bytes); }
};

}  // namespace

// -- signer -------------------------------------------------------------------

struct ed25519_signer::state {
  seed secret;
  evp_key key;
  public_key shown;

  ~state() { OPENSSL_cleanse(secret.data(), secret.size()); }
};

ed25519_signer::ed25519_signer(const seed& s) : state_(std::make_unique<state>()) {
  state_->secret = s;
  state_->key.reset(
      must(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, s.data(), s.size()),
           "a private key"));
  auto length = state_->shown.size;
  must(EVP_PKEY_get_raw_public_key(state_->key.get(), state_->shown.bytes.data(), &length) == 1,
       "a public key");
}

ed25519_signer::~ed25519_signer() = default;
ed25519_signer::ed25519_signer(ed25519_signer&&) noexcept = default;
ed25519_signer& ed25519_signer::operator=(ed25519_signer&&) noexcept = default;

ed25519_signer ed25519_signer::generate() {
  seed s;
  must(RAND_priv_bytes(s.data(), s.size()) == 1, "the operating system's randomness");
  ed25519_signer out(s);
  OPENSSL_cleanse(s.data(), s.size());
  return out;
}

ed25519_signer ed25519_signer::load(const std::filesystem::path& file) {
  auto s = read_hex_secret(file, "signing key");
  ed25519_signer out(s);
  OPENSSL_cleanse(s.data(), s.size());
  return out;
}

void ed25519_signer::save(const std::filesystem::path& file) const {
  write_hex_secret(file, state_->secret);
}

public_key ed25519_signer::key() const {
  return state_->shown;
}

signature ed25519_signer::sign(byte_span message) const {
  signature out;
  auto length = out.size;
  auto* context = cleared_context();
  must(EVP_DigestSignInit(context, nullptr, nullptr, nullptr, state_->key.get()) == 1 &&
           EVP_DigestSign(context, out.bytes.data(), &length, message.data(), message.size()) == 1,
       "a signature");
  return out;
}

// -- scheme -------------------------------------------------------------------

struct ed25519_scheme::state {
  std::shared_mutex guard;
  std::unordered_map<public_key, evp_key, leading_bytes> parsed;  // never iterated, never shrinks

  EVP_PKEY* find(const public_key& key);
};

ed25519_scheme::ed25519_scheme() : state_(std::make_unique<state>()) {}
ed25519_scheme::~ed25519_scheme() = default;

// Entries stay until the scheme goes, so a key that was found outlives the lock.
EVP_PKEY* ed25519_scheme::state::find(const public_key& key) {
  const std::shared_lock lock(guard);
  const auto found = parsed.find(key);
  return found == parsed.end() ? nullptr : found->second.get();
}

bool ed25519_scheme::verify(const public_key& key, byte_span message, const signature& sig) const {
  if (auto* known = state_->find(key)) return matches(known, message, sig);
  auto fresh = parse(key);
  if (!fresh) return ERR_clear_error(), false;
  const bool ok = matches(fresh.get(), message, sig);
  const std::unique_lock lock(state_->guard);
  if (state_->parsed.size() < parsed_keys_max) state_->parsed.try_emplace(key, std::move(fresh));
  return ok;
}

}  // namespace flamingo::crypto
