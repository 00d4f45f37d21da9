#include "crypto/pem.hpp"

#include "crypto/secret_file.hpp"

namespace flamingo::crypto {

namespace {

using std::filesystem::path;
using memory_file = std::unique_ptr<BIO, releases<BIO_free_all>>;

memory_file reading(std::string_view text) {
  return memory_file(must(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), "a buffer"));
}

std::string_view content(BIO* buffer) {
  char* first = nullptr;
  const auto size = BIO_get_mem_data(buffer, &first);
  return {first, static_cast<std::size_t>(size)};
}

// OpenSSL would ask the terminal for the passphrase of an encrypted file.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

}  // namespace

certificate parse_certificate(std::string_view pem) {
  const auto in = reading(pem);
  certificate out(PEM_read_bio_X509(in.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  return out;
}

certificate read_certificate(const path& file) {
  auto out = parse_certificate(read_file(file, pem_size_max));
  if (!out) throw file_error(file, "is not a certificate in PEM form");
  return out;
}

void write_certificate(const path& file, X509* cert) {
  const memory_file out(must(BIO_new(BIO_s_mem()), "a buffer"));
  must(PEM_write_bio_X509(out.get(), cert) == 1, "the writing of a certificate");
  write_new_file(file, content(out.get()));
}

evp_key read_key(const path& file) {
  auto pem = read_secret_file(file, pem_size_max);
  evp_key out(PEM_read_bio_PrivateKey(reading(pem).get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();
  OPENSSL_cleanse(pem.data(), pem.size());
  if (!out || !EVP_PKEY_is_a(out.get(), "ED25519"))
    throw file_error(file, "is not an unencrypted Ed25519 private key in PEM form");
  return out;
}

// The buffer is of the kind that OpenSSL wipes.
void write_key(const path& file, EVP_PKEY* key) {
  const memory_file out(must(BIO_new(BIO_s_secmem()), "a buffer"));
  must(PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
       "the writing of a key");
  write_secret_file(file, content(out.get()));
}

}  // namespace flamingo::crypto
