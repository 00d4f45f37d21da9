// TLS identities: a network's own certificate authority and the Ed25519 certificates that it
// issues, as PEM files (RFC 8410). A certificate says who may connect; who sent a protocol message
// is who signed it.
//
// The files are made by `init` and read at start; a link makes its OpenSSL contexts from their
// paths. Every failure here is the operator's or the environment's: file_error, one line that names
// the file.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/secret_file.hpp"
#include "messages/digest.hpp"

namespace flamingo::crypto {

/// When a certificate is accepted.
struct validity {
  std::chrono::sys_seconds from, until;

  /// From an hour ago, so that a peer whose clock is behind accepts a new certificate.
  static validity starting_now(std::chrono::days length);
};

inline constexpr std::chrono::days authority_lifetime{3650};
inline constexpr std::chrono::days identity_lifetime{1825};

struct identity_files {
  std::filesystem::path certificate;  // <name>.pem
  std::filesystem::path private_key;  // <name>.key, mode 0600
};

/// The network's authority: ca.pem and ca.key (mode 0600) in one folder. The key is needed to issue
/// only and belongs on no validator.
class authority {
public:
  authority(authority&&) noexcept;
  authority& operator=(authority&&) noexcept;
  ~authority();

  /// What every node needs to check its peers.
  const std::filesystem::path& certificate_file() const;

private:
  struct state;
  friend authority create_authority(const std::filesystem::path&, validity);
  friend authority load_authority(const std::filesystem::path&);
  friend identity_files issue(const authority&, std::string_view, const std::filesystem::path&,
                              validity);
  explicit authority(std::unique_ptr<state> s);

  std::unique_ptr<state> state_;
};

/// Makes a new authority in the existing folder `dir`. Throws file_error; never overwrites.
authority create_authority(const std::filesystem::path& dir,
                           validity when = validity::starting_now(authority_lifetime));

/// Reads one back. Throws file_error if a file is missing, malformed, open to others, or of another
/// key.
authority load_authority(const std::filesystem::path& dir);

/// The files that `issue` writes for `name` in `dir`.
identity_files files_of(const std::filesystem::path& dir, std::string_view name);

/// True for what a certificate may name ("validator-0", "client-3", "operator"): 1 to 63 of a-z,
/// 0-9 and '-', starting with a letter.
bool is_identity_name(std::string_view name);

/// Issues a key and a certificate for `name` (subject and subjectAltName) into the existing folder
/// `dir`, for both ends of a connection. It ends no later than the authority. Throws file_error;
/// never overwrites.
identity_files issue(const authority& by, std::string_view name, const std::filesystem::path& dir,
                     validity when = validity::starting_now(identity_lifetime));

/// Checks what a node is configured with, so that a wrong file is one line at start and not a
/// failed hand-shake later: the key is secret and the certificate's, the certificate names `name`,
/// was issued by the authority, and is valid at `now`. Throws file_error.
void check_identity(const std::filesystem::path& authority_certificate, const identity_files& files,
                    std::string_view name, std::chrono::sys_seconds now);

/// Whom a certificate file names. Throws file_error.
std::string name_of_certificate(const std::filesystem::path& certificate);

/// Whom a certificate names, PEM or DER (a peer's, after the hand-shake checked its issuer). Empty
/// unless it is a certificate with exactly one well-formed name. Never throws for what the bytes
/// hold.
std::optional<std::string> name_in_pem(std::string_view pem);
std::optional<std::string> name_in_der(byte_span der);

}  // namespace flamingo::crypto
