#include "crypto/hash.hpp"

#include <string>
#include <vector>

#include "crypto/openssl_handles.hpp"

namespace flamingo::crypto {

namespace {

// Fetching an algorithm takes locks and searches providers: once a process.
const EVP_MD* sha256() {
  static const evp_digest fetched(
      must(EVP_MD_fetch(nullptr, "SHA256", nullptr), "fetch of SHA-256"));
  return fetched.get();
}

// The contexts of this thread that no hasher holds at the moment. It grows to the largest number of
// hashers that were alive at once, which is one or two.
struct idle_contexts {
  std::vector<evp_digest_context> contexts;

  EVP_MD_CTX* take() {
    if (contexts.empty()) return must(EVP_MD_CTX_new(), "a digest context");
    auto* taken = contexts.back().release();
    contexts.pop_back();
    return taken;
  }
};

thread_local idle_contexts idle;

void start(void* context) {
  must(EVP_DigestInit_ex2(static_cast<EVP_MD_CTX*>(context), sha256(), nullptr) == 1,
       "the start of a digest");
}

}  // namespace

hasher::hasher() : context_(idle.take()) {
  start(context_);
}

hasher::~hasher() {
  idle.contexts.emplace_back(static_cast<EVP_MD_CTX*>(context_));
}

hasher& hasher::update(byte_span bytes) {
  must(EVP_DigestUpdate(static_cast<EVP_MD_CTX*>(context_), bytes.data(), bytes.size()) == 1,
       "a digest");
  return *this;
}

digest hasher::finish() {
  digest out;
  must(EVP_DigestFinal_ex(static_cast<EVP_MD_CTX*>(context_), out.bytes.data(), nullptr) == 1,
       "the end of a digest");
  start(context_);
  return out;
}

tag tag_of(std::string_view kind) {
  const auto name = "flamingo/" + std::string(kind) + "/v1";
  return tag{hash({as_bytes(name)}).bytes};
}

digest hash(const tag& kind, byte_span bytes) {
  return hash({kind, bytes});
}

digest hash(std::initializer_list<byte_span> parts) {
  hasher h;
  for (const auto& part : parts) h.update(part);
  return h.finish();
}

digest batch_digest(validator_id author, worker_id worker, batch_sequence sequence,
                    std::span<const digest> bundles) {
  hasher h(tags::batch);
  h.number(author).number(worker).number(sequence);
  for (const auto& bundle : bundles) h.update(bundle);
  return h.finish();
}

}  // namespace flamingo::crypto
