// Certificates and private keys as PEM files. For the .cpp files of crypto only: it shows OpenSSL.
#pragma once

#include <openssl/x509.h>

#include <filesystem>
#include <string_view>

#include "crypto/openssl_handles.hpp"

namespace flamingo::crypto {

using certificate = std::unique_ptr<X509, releases<X509_free>>;

/// Longer files are refused unread: a certificate has about 700 bytes.
constexpr std::size_t pem_size_max = 64 * 1024;

/// Null unless `pem` holds a certificate. Never throws for what the bytes hold.
certificate parse_certificate(std::string_view pem);

// All four throw file_error; writing never overwrites, and a key is written and read with mode 0600
// only.
certificate read_certificate(const std::filesystem::path& file);
void write_certificate(const std::filesystem::path& file, X509* cert);
evp_key read_key(const std::filesystem::path& file);  // Ed25519, not encrypted
void write_key(const std::filesystem::path& file, EVP_PKEY* key);

}  // namespace flamingo::crypto
