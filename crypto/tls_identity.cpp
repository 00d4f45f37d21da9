#include "crypto/tls_identity.hpp"

#include <openssl/rand.h>
#include <openssl/x509.h>

#include <algorithm>

#include "crypto/pem.hpp"

namespace flamingo::crypto {

namespace {

using std::chrono::sys_seconds;
using std::filesystem::path;
using extension = std::unique_ptr<X509_EXTENSION, releases<X509_EXTENSION_free>>;
using asn1_time = std::unique_ptr<ASN1_TIME, releases<ASN1_TIME_free>>;
using trust_store = std::unique_ptr<X509_STORE, releases<X509_STORE_free>>;
using trust_check = std::unique_ptr<X509_STORE_CTX, releases<X509_STORE_CTX_free>>;

constexpr const char* authority_name = "flamingo network authority";

// -- building certificates ----------------------------------------------------

evp_key new_key() {
  return evp_key(must(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"), "a new key"));
}

void set_times(X509* cert, sys_seconds from, sys_seconds until) {
  const asn1_time first(must(ASN1_TIME_set(nullptr, from.time_since_epoch().count()), "a time"));
  const asn1_time last(must(ASN1_TIME_set(nullptr, until.time_since_epoch().count()), "a time"));
  must(X509_set1_notBefore(cert, first.get()) == 1 && X509_set1_notAfter(cert, last.get()) == 1,
       "the times of a certificate");
}

sys_seconds end_of(const X509* cert) {
  tm parts{};
  must(ASN1_TIME_to_tm(X509_get0_notAfter(cert), &parts) == 1, "the end of a certificate");
  return sys_seconds(std::chrono::seconds(timegm(&parts)));
}

// 127 random bits: distinct without a register, and positive.
void set_serial(X509* cert) {
  std::array<byte, 16> bytes;
  must(RAND_bytes(bytes.data(), bytes.size()) == 1, "the operating system's randomness");
  bytes[0] = static_cast<byte>((bytes[0] & 0x7f) | 0x40);
  const std::unique_ptr<BIGNUM, releases<BN_free>> number(
      must(BN_bin2bn(bytes.data(), bytes.size(), nullptr), "a serial number"));
  must(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(cert)), "a serial number");
}

void set_name(X509_NAME* subject, std::string_view name) {
  must(X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_ASC,
                                  reinterpret_cast<const byte*>(name.data()),
                                  static_cast<int>(name.size()), -1, 0) == 1,
       "the name of a certificate");
}

// `value` in OpenSSL's configuration syntax; it never holds text from outside but a checked name.
void add_extension(X509* cert, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  const extension made(must(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()),
                            "a certificate's extension"));
  must(X509_add_ext(cert, made.get(), -1) == 1, "a certificate's extension");
}

certificate start_certificate(EVP_PKEY* key, std::string_view name, validity when) {
  certificate out(must(X509_new(), "a certificate"));
  must(X509_set_version(out.get(), X509_VERSION_3) == 1, "a certificate's version");
  set_serial(out.get());
  set_times(out.get(), when.from, when.until);
  set_name(X509_get_subject_name(out.get()), name);
  must(X509_set_pubkey(out.get(), key) == 1, "a certificate's key");
  return out;
}

// Ed25519 hashes by itself, so no digest is named.
void finish_certificate(X509* cert, EVP_PKEY* issuer_key) {
  must(X509_sign(cert, issuer_key, nullptr) > 0, "the signature of a certificate");
}

// Before anything is written, so that a refusal leaves nothing behind.
void refuse_existing(const path& file) {
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw file_error(file, "exists already and is never overwritten: choose another folder");
}

std::optional<std::string> name_in(X509* cert) {
  const auto* subject = X509_get_subject_name(cert);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return std::nullopt;
  const auto* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
  std::string name(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                   static_cast<std::size_t>(ASN1_STRING_length(text)));
  if (!is_identity_name(name)) return std::nullopt;
  return name;
}

// Empty when `cert` was issued by `issuer` and is valid at `now`, otherwise the reason.
std::string distrust(X509* cert, X509* issuer, sys_seconds now) {
  const trust_store store(must(X509_STORE_new(), "a trust store"));
  must(X509_STORE_add_cert(store.get(), issuer) == 1, "a trust store");
  const trust_check check(must(X509_STORE_CTX_new(), "a certificate check"));
  must(X509_STORE_CTX_init(check.get(), store.get(), cert, nullptr) == 1, "a certificate check");
  X509_STORE_CTX_set_time(check.get(), 0, now.time_since_epoch().count());
  const bool ok = X509_verify_cert(check.get()) == 1;
  ERR_clear_error();
  return ok ? "" : X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get()));
}

}  // namespace

// -- the authority ------------------------------------------------------------

struct authority::state {
  path certificate_file;
  certificate cert;
  evp_key key;
};

authority::authority(std::unique_ptr<state> s) : state_(std::move(s)) {}
authority::authority(authority&&) noexcept = default;
authority& authority::operator=(authority&&) noexcept = default;
authority::~authority() = default;

const path& authority::certificate_file() const {
  return state_->certificate_file;
}

validity validity::starting_now(std::chrono::days length) {
  const auto now =
      std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return {now - std::chrono::hours(1), now + length};
}

authority create_authority(const path& dir, validity when) {
  auto made = std::make_unique<authority::state>();
  made->certificate_file = dir / "ca.pem";
  refuse_existing(made->certificate_file);
  made->key = new_key();
  made->cert = start_certificate(made->key.get(), authority_name, when);
  auto* cert = made->cert.get();
  must(X509_set_issuer_name(cert, X509_get_subject_name(cert)) == 1, "an issuer");
  add_extension(cert, cert, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(cert, cert, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(cert, cert, NID_subject_key_identifier, "hash");
  finish_certificate(cert, made->key.get());
  write_key(dir / "ca.key", made->key.get());
  write_certificate(made->certificate_file, cert);
  return authority(std::move(made));
}

authority load_authority(const path& dir) {
  auto made = std::make_unique<authority::state>();
  made->certificate_file = dir / "ca.pem";
  made->cert = read_certificate(made->certificate_file);
  made->key = read_key(dir / "ca.key");
  if (X509_check_ca(made->cert.get()) != 1)
    throw file_error(made->certificate_file, "is not the certificate of an authority");
  if (X509_check_private_key(made->cert.get(), made->key.get()) != 1) {
    ERR_clear_error();
    throw file_error(dir / "ca.key",
                     "is not the key of the certificate in " + made->certificate_file.string());
  }
  return authority(std::move(made));
}

// -- identities ---------------------------------------------------------------

bool is_identity_name(std::string_view name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return !name.empty() && name.size() <= 63 && letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

identity_files files_of(const path& dir, std::string_view name) {
  return {dir / (std::string(name) + ".pem"), dir / (std::string(name) + ".key")};
}

identity_files issue(const authority& by, std::string_view name, const path& dir, validity when) {
  if (!is_identity_name(name))
    throw file_error(dir, "no certificate can be issued for the name '" + std::string(name) +
                              "': expected 1 to 63 of a-z, 0-9 and '-', starting with a letter");
  const auto files = files_of(dir, name);
  refuse_existing(files.certificate);
  const auto& issuer = *by.state_;
  when.until = std::min(when.until, end_of(issuer.cert.get()));
  const auto key = new_key();
  const auto made = start_certificate(key.get(), name, when);
  auto* cert = made.get();
  must(X509_set_issuer_name(cert, X509_get_subject_name(issuer.cert.get())) == 1, "an issuer");
  add_extension(cert, issuer.cert.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(cert, issuer.cert.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(cert, issuer.cert.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  add_extension(cert, issuer.cert.get(), NID_subject_alt_name, "DNS:" + std::string(name));
  add_extension(cert, issuer.cert.get(), NID_subject_key_identifier, "hash");
  add_extension(cert, issuer.cert.get(), NID_authority_key_identifier, "keyid:always");
  finish_certificate(cert, issuer.key.get());
  write_key(files.private_key, key.get());
  write_certificate(files.certificate, cert);
  return files;
}

void check_identity(const path& authority_certificate, const identity_files& files,
                    std::string_view name, sys_seconds now) {
  const auto issuer = read_certificate(authority_certificate);
  const auto cert = read_certificate(files.certificate);
  const auto key = read_key(files.private_key);
  if (const auto found = name_in(cert.get()); found != name)
    throw file_error(files.certificate, "names " + (found ? "'" + *found + "'" : "nobody") +
                                            ", expected '" + std::string(name) + "'");
  if (X509_check_private_key(cert.get(), key.get()) != 1) {
    ERR_clear_error();
    throw file_error(files.private_key,
                     "is not the key of the certificate in " + files.certificate.string());
  }
  const auto reason = distrust(cert.get(), issuer.get(), now);
  if (!reason.empty())
    throw file_error(files.certificate, "is refused by the authority in " +
                                            authority_certificate.string() + ": " + reason);
}

std::string name_of_certificate(const path& file) {
  auto name = name_in(read_certificate(file).get());
  if (!name) throw file_error(file, "names no validator, client or operator");
  return *name;
}

std::optional<std::string> name_in_pem(std::string_view pem) {
  if (pem.size() > pem_size_max) return std::nullopt;
  const auto cert = parse_certificate(pem);
  return cert ? name_in(cert.get()) : std::nullopt;
}

std::optional<std::string> name_in_der(byte_span der) {
  if (der.size() > pem_size_max) return std::nullopt;
  const auto* next = der.data();
  const certificate cert(d2i_X509(nullptr, &next, static_cast<long>(der.size())));
  ERR_clear_error();
  if (!cert || next != der.data() + der.size()) return std::nullopt;
  return name_in(cert.get());
}

}  // namespace flamingo::crypto
