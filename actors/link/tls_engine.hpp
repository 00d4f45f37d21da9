// Mutual TLS 1.3 between byte buffers (RFC 8446), without a socket and without CAF: it reads what
// came from a buffer of the caller's and appends what must leave to another, so that nothing is
// copied but into and out of the records. One cipher suite (AES-128-GCM), Ed25519 certificates of
// the network's authority, no tickets, no resumption.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace flamingo::link {

/// The certificates of this node and its network, ready for use. Immutable; any thread.
class tls_context {
public:
  /// Reads and checks the files: `certificate` must name `name`, be of `private_key`, and be issued
  /// by `authority`. Throws std::runtime_error, with one line that names the file.
  tls_context(const std::filesystem::path& authority, const std::filesystem::path& certificate,
              const std::filesystem::path& private_key, const std::string& name);
  ~tls_context();
  tls_context(const tls_context&) = delete;

  struct state;
  const state& parts() const { return *state_; }

private:
  std::unique_ptr<state> state_;
};

class tls_engine {
public:
  enum class side : std::uint8_t { dials, accepts };

  tls_engine(const tls_context& context, side which);
  ~tls_engine();
  tls_engine(const tls_engine&) = delete;

  enum class progress : std::uint8_t {
    done,
    more,    // all input is used up
    failed,  // `failure` says why; an alert for the peer may have been appended
    ended,   // the peer closed it in order
  };

  /// Gives bytes that came from the peer. They must stay in place until `handshake` or `read` said
  /// `more` or worse.
  void feed(std::span<const char> bytes);

  /// Goes on with the hand-shake, as far as the input goes. What must leave is appended to `out`.
  progress handshake(std::vector<char>& out);

  /// Decrypts into `room`. With `done`, `got` bytes (at least 1) are there.
  progress read(std::span<char> room, std::size_t& got, std::vector<char>& out);

  /// Encrypts all of `bytes`; the records are appended to `out`. Only after the hand-shake.
  /// @returns false if the engine is broken.
  bool write(std::span<const char> bytes, std::vector<char>& out);

  /// Until then its buffers are freed when they are empty: an idle stranger costs less, a busy link
  /// more.
  void keep_buffers();

  /// Tells the peer that nothing more comes.
  void close(std::vector<char>& out);

  /// Whom the peer's certificate names. Empty before the end of the hand-shake, or if it names
  /// nobody.
  std::optional<std::string> peer_name() const;

  /// Why it failed, in words.
  const std::string& failure() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace flamingo::link
