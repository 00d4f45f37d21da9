// Ownership of OpenSSL's objects. For the .cpp files of crypto only: no header here includes it.
#pragma once

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace flamingo::crypto {

template <auto Free>
struct releases {
  template <class T>
  void operator()(T* x) const {
    Free(x);
  }
};

using evp_digest_context = std::unique_ptr<EVP_MD_CTX, releases<EVP_MD_CTX_free>>;
using evp_key = std::unique_ptr<EVP_PKEY, releases<EVP_PKEY_free>>;

/// Ends the process where OpenSSL refuses what it never refuses unless memory is gone or the
/// library is broken. Never for anything that depends on a peer's bytes.
inline void must(bool ok, const char* what) {
  if (ok) return;
  char reason[256] = "no reason given";
  if (const auto code = ERR_get_error()) ERR_error_string_n(code, reason, sizeof reason);
  std::fprintf(stderr, "flamingo: OpenSSL failed in %s: %s\n", what, reason);
  std::abort();
}

template <class T>
T* must(T* made, const char* what) {
  must(made != nullptr, what);
  return made;
}

}  // namespace flamingo::crypto
