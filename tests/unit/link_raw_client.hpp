// A TLS client that believes anything and can be told to be anybody: what a hostile stranger has.
#pragma once

#include <openssl/ssl.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace flamingo::link::test {

class raw_client {
public:
  struct options {
    std::string certificate, private_key;  // files; empty: none is shown
    int version = TLS1_3_VERSION;
  };

  explicit raw_client(const options& o) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_min_proto_version(context_, o.version);
    SSL_CTX_set_max_proto_version(context_, o.version);
    SSL_CTX_set_verify(context_, SSL_VERIFY_NONE, nullptr);
    if (!o.certificate.empty() &&
        (SSL_CTX_use_certificate_file(context_, o.certificate.c_str(), SSL_FILETYPE_PEM) != 1 ||
         SSL_CTX_use_PrivateKey_file(context_, o.private_key.c_str(), SSL_FILETYPE_PEM) != 1))
      throw std::runtime_error("cannot use " + o.certificate);
    ssl_ = SSL_new(context_);
    in_ = BIO_new(BIO_s_mem());
    out_ = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl_, in_, out_);
    SSL_set_connect_state(ssl_);
  }
  raw_client(const raw_client&) = delete;
  ~raw_client() {
    SSL_free(ssl_);
    SSL_CTX_free(context_);
  }

  /// Goes on with the hand-shake. @returns what to send.
  std::vector<char> handshake(const std::vector<char>& received = {}) {
    if (!received.empty()) BIO_write(in_, received.data(), static_cast<int>(received.size()));
    shaken_ = SSL_do_handshake(ssl_) == 1;
    return take();
  }
  bool shaken() const { return shaken_; }

  /// @returns the records of `bytes`.
  std::vector<char> encrypt(const std::vector<char>& bytes) {
    SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()));
    return take();
  }
  /// Asks the other end for new keys, which it has to answer. @returns the record.
  std::vector<char> key_update() {
    SSL_key_update(ssl_, SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(ssl_);
    return take();
  }

private:
  std::vector<char> take() {
    std::vector<char> out(BIO_ctrl_pending(out_));
    if (!out.empty()) BIO_read(out_, out.data(), static_cast<int>(out.size()));
    return out;
  }

  SSL_CTX* context_;
  SSL* ssl_ = nullptr;
  BIO *in_ = nullptr, *out_ = nullptr;
  bool shaken_ = false;
};

}  // namespace flamingo::link::test
