#include "actors/link/tls_engine.hpp"

#include <openssl/ssl.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

#include "crypto/openssl_handles.hpp"
#include "crypto/tls_identity.hpp"

namespace flamingo::link {

namespace {

using crypto::must;
using crypto::releases;
using ssl_context = std::unique_ptr<SSL_CTX, releases<SSL_CTX_free>>;
using ssl_connection = std::unique_ptr<SSL, releases<SSL_free>>;
using certificate = std::unique_ptr<X509, releases<X509_free>>;

// A stranger's certificates are read before it is known; ours are under 1 KiB.
constexpr long max_certificates_bytes = 8 << 10;

// What OpenSSL reads from and appends to.
struct buffers {
  std::span<const char> in;
  std::vector<char>* out = nullptr;
};

buffers& of(BIO* bio) {
  return *static_cast<buffers*>(BIO_get_data(bio));
}

int read_some(BIO* bio, char* to, int size) {
  auto& in = of(bio).in;
  BIO_clear_retry_flags(bio);
  if (in.empty()) {
    BIO_set_retry_read(bio);
    return -1;
  }
  const auto n = std::min(in.size(), static_cast<std::size_t>(size));
  std::memcpy(to, in.data(), n);
  in = in.subspan(n);
  return static_cast<int>(n);
}

int write_all(BIO* bio, const char* from, int size) {
  auto& out = *of(bio).out;
  out.insert(out.end(), from, from + size);
  return size;
}

long control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Never freed: connections may outlive the end of main.
const BIO_METHOD* span_methods() {
  static const BIO_METHOD* const methods = [] {
    auto* made = must(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "spans"), "a BIO");
    must(BIO_meth_set_read(made, read_some) == 1, "a BIO");
    must(BIO_meth_set_write(made, write_all) == 1, "a BIO");
    must(BIO_meth_set_ctrl(made, control) == 1, "a BIO");
    return made;
  }();
  return methods;
}

void use_file(bool ok, const std::filesystem::path& file) {
  if (ok) return;
  char reason[256] = "no reason given";
  if (const auto code = ERR_get_error()) ERR_error_string_n(code, reason, sizeof reason);
  ERR_clear_error();
  throw std::runtime_error(file.string() + " cannot be used for TLS: " + reason);
}

}  // namespace

struct tls_context::state {
  ssl_context context;
};

tls_context::tls_context(const std::filesystem::path& authority,
                         const std::filesystem::path& certificate,
                         const std::filesystem::path& private_key, const std::string& name)
    : state_(std::make_unique<state>()) {
  using namespace std::chrono;
  crypto::check_identity(authority, {certificate, private_key}, name,
                         time_point_cast<seconds>(system_clock::now()));
  state_->context.reset(must(SSL_CTX_new(TLS_method()), "a TLS context"));
  auto* c = state_->context.get();
  must(SSL_CTX_set_min_proto_version(c, TLS1_3_VERSION) == 1, "TLS 1.3");
  must(SSL_CTX_set_max_proto_version(c, TLS1_3_VERSION) == 1, "TLS 1.3");
  must(SSL_CTX_set_ciphersuites(c, "TLS_AES_128_GCM_SHA256") == 1, "AES-128-GCM");
  must(SSL_CTX_set1_groups_list(c, "X25519") == 1, "X25519");
  must(SSL_CTX_set1_sigalgs_list(c, "ed25519") == 1, "Ed25519 in TLS");
  must(SSL_CTX_set1_client_sigalgs_list(c, "ed25519") == 1, "Ed25519 in TLS");
  must(SSL_CTX_set_num_tickets(c, 0) == 1, "TLS without tickets");
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(c, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_clear_options(c, SSL_OP_ENABLE_MIDDLEBOX_COMPAT);
  SSL_CTX_set_max_cert_list(c, max_certificates_bytes);
  SSL_CTX_set_verify(c, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_verify_depth(c, 1);
  use_file(SSL_CTX_load_verify_file(c, authority.c_str()) == 1, authority);
  use_file(SSL_CTX_use_certificate_file(c, certificate.c_str(), SSL_FILETYPE_PEM) == 1,
           certificate);
  use_file(SSL_CTX_use_PrivateKey_file(c, private_key.c_str(), SSL_FILETYPE_PEM) == 1, private_key);
}

tls_context::~tls_context() = default;

struct tls_engine::state {
  buffers io;  // the BIO points here
  ssl_connection ssl;
  std::string failure;

  // What a result that is not success means. OpenSSL's queue of errors is empty before each call.
  progress explain(int result) {
    switch (SSL_get_error(ssl.get(), result)) {
      case SSL_ERROR_WANT_READ:
        return progress::more;
      case SSL_ERROR_ZERO_RETURN:
        failure = "the peer closed it";
        return progress::ended;
      default:
        break;
    }
    const auto verdict = SSL_get_verify_result(ssl.get());
    const char* reason = ERR_reason_error_string(ERR_peek_error());
    if (verdict != X509_V_OK)
      failure =
          std::string("its certificate is refused: ") + X509_verify_cert_error_string(verdict);
    else
      failure = reason ? reason : "TLS broke off";
    ERR_clear_error();
    return progress::failed;
  }
};

tls_engine::tls_engine(const tls_context& context, side which) : state_(std::make_unique<state>()) {
  state_->ssl.reset(must(SSL_new(context.parts().context.get()), "a TLS connection"));
  auto* bio = must(BIO_new(span_methods()), "a BIO");
  BIO_set_data(bio, &state_->io);
  BIO_set_init(bio, 1);
  SSL_set_bio(state_->ssl.get(), bio, bio);
  SSL_set_mode(state_->ssl.get(), SSL_MODE_RELEASE_BUFFERS);
  if (which == side::accepts)
    SSL_set_accept_state(state_->ssl.get());
  else
    SSL_set_connect_state(state_->ssl.get());
}

tls_engine::~tls_engine() = default;

void tls_engine::feed(std::span<const char> bytes) {
  state_->io.in = bytes;
  ERR_clear_error();  // of whatever else this thread does; too slow for each `read`
}

tls_engine::progress tls_engine::handshake(std::vector<char>& out) {
  state_->io.out = &out;
  ERR_clear_error();
  const int result = SSL_do_handshake(state_->ssl.get());
  return result == 1 ? progress::done : state_->explain(result);
}

tls_engine::progress tls_engine::read(std::span<char> room, std::size_t& got,
                                      std::vector<char>& out) {
  state_->io.out = &out;
  const int result = SSL_read_ex(state_->ssl.get(), room.data(), room.size(), &got);
  return result == 1 ? progress::done : state_->explain(result);
}

bool tls_engine::write(std::span<const char> bytes, std::vector<char>& out) {
  if (bytes.empty()) return true;
  state_->io.out = &out;
  ERR_clear_error();
  std::size_t written = 0;
  const int result = SSL_write_ex(state_->ssl.get(), bytes.data(), bytes.size(), &written);
  if (result == 1) return true;
  state_->explain(result);
  return false;
}

void tls_engine::keep_buffers() {
  SSL_clear_mode(state_->ssl.get(), SSL_MODE_RELEASE_BUFFERS);
}

void tls_engine::close(std::vector<char>& out) {
  state_->io.out = &out;
  ERR_clear_error();
  if (SSL_is_init_finished(state_->ssl.get())) SSL_shutdown(state_->ssl.get());
  ERR_clear_error();
}

std::optional<std::string> tls_engine::peer_name() const {
  const certificate theirs(SSL_get1_peer_certificate(state_->ssl.get()));
  if (!theirs) return std::nullopt;
  unsigned char* der = nullptr;
  const int size = i2d_X509(theirs.get(), &der);
  if (size <= 0) return std::nullopt;
  auto name = crypto::name_in_der({der, static_cast<std::size_t>(size)});
  OPENSSL_free(der);
  return name;
}

const std::string& tls_engine::failure() const {
  return state_->failure;
}

}  // namespace flamingo::link
