// TCP sockets as the connector needs them: names to addresses, listening, connecting without
// waiting.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages/committee.hpp"

namespace flamingo::link {

std::string to_string(const network_address& x);

/// Owns a file descriptor.
class socket_handle {
public:
  socket_handle() = default;
  explicit socket_handle(int fd) : fd_(fd) {}
  socket_handle(socket_handle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  socket_handle& operator=(socket_handle&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~socket_handle() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_ = -1;
};

/// An address and port as the kernel takes them.
struct endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;
};

/// What a name stands for, and why there is nothing if there is nothing.
struct resolution {
  std::vector<endpoint> endpoints;
  std::string failure;
};

/// Looks `where` up. Blocks for names that are not numbers: seconds, when no name server answers.
resolution resolve(const network_address& where);
/// The same if no look-up is needed, otherwise empty.
std::optional<resolution> resolve_number(const network_address& where);

/// Opens a listening socket (an empty host: all addresses). Throws std::runtime_error with one line
/// that names the address. Blocks as `resolve` does.
socket_handle listen_on(const network_address& where);
std::uint16_t local_port(const socket_handle& socket);

/// The next connection that waits; empty if none does, or if the process lacks descriptors or
/// memory (`starved`).
socket_handle accept_one(const socket_handle& listener, bool& starved);

/// Begins to connect; writable when it is decided. Empty, with errno, if it failed at once.
socket_handle start_connect(const endpoint& to);
/// How a connection that was begun turned out: 0 or an errno. A socket that the kernel connected to
/// itself (it may, on an ephemeral port of this host) counts as refused.
int connect_result(const socket_handle& socket);

/// "127.0.0.1:4000" of the other end; "?" if it is gone.
std::string remote_of(const socket_handle& socket);

}  // namespace flamingo::link
