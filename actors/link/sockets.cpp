#include "actors/link/sockets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace flamingo::link {

namespace {

struct frees_addresses {
  void operator()(addrinfo* x) const { freeaddrinfo(x); }
};

resolution look_up(const network_address& where, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* first = nullptr;
  const auto port = std::to_string(where.port);
  const char* host = where.host.empty() ? nullptr : where.host.c_str();
  const int result = getaddrinfo(host, port.c_str(), &hints, &first);
  resolution out;
  if (result != 0) {
    out.failure = result == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(result);
    return out;
  }
  const std::unique_ptr<addrinfo, frees_addresses> all(first);
  for (const auto* x = first; x; x = x->ai_next) {
    endpoint e;
    if (x->ai_addrlen > sizeof e.address) continue;
    std::memcpy(&e.address, x->ai_addr, x->ai_addrlen);
    e.size = x->ai_addrlen;
    out.endpoints.push_back(e);
  }
  return out;
}

int open_socket(const endpoint& e) {
  return socket(e.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

const sockaddr* as_sockaddr(const endpoint& e) {
  return reinterpret_cast<const sockaddr*>(&e.address);
}

template <class Get>
std::optional<endpoint> ask(const socket_handle& s, Get get) {
  endpoint e;
  e.size = sizeof e.address;
  if (get(s.get(), reinterpret_cast<sockaddr*>(&e.address), &e.size) != 0) return std::nullopt;
  return e;
}

bool same(const std::optional<endpoint>& a, const std::optional<endpoint>& b) {
  return a && b && a->size == b->size && std::memcmp(&a->address, &b->address, a->size) == 0;
}

}  // namespace

std::string to_string(const network_address& x) {
  const bool v6 = x.host.find(':') != std::string::npos;
  const auto host = x.host.empty() ? std::string("*") : x.host;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(x.port);
}

void socket_handle::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

resolution resolve(const network_address& where) {
  return look_up(where, AI_ADDRCONFIG);
}

std::optional<resolution> resolve_number(const network_address& where) {
  auto out = look_up(where, AI_NUMERICHOST);
  if (out.endpoints.empty()) return std::nullopt;
  return out;
}

socket_handle listen_on(const network_address& where) {
  const auto fail = [&](const std::string& reason) {
    return std::runtime_error("cannot listen on " + to_string(where) + ": " + reason);
  };
  const auto found = look_up(where, AI_PASSIVE);
  if (found.endpoints.empty()) throw fail(found.failure);
  int error = 0;
  for (const auto& e : found.endpoints) {
    socket_handle s(open_socket(e));
    const int on = 1;
    if (s && setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(s.get(), as_sockaddr(e), e.size) == 0 && listen(s.get(), SOMAXCONN) == 0)
      return s;
    error = errno;
  }
  throw fail(std::strerror(error));
}

std::uint16_t local_port(const socket_handle& socket) {
  const auto e = ask(socket, getsockname);
  if (!e) return 0;
  return ntohs(e->address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(e->address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(e->address).sin_port);
}

socket_handle accept_one(const socket_handle& listener, bool& starved) {
  for (;;) {
    const int fd = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) return socket_handle(fd);
    if (errno == EINTR || errno == ECONNABORTED) continue;
    starved = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
    return {};
  }
}

socket_handle start_connect(const endpoint& to) {
  socket_handle s(open_socket(to));
  if (!s) return s;
  if (connect(s.get(), as_sockaddr(to), to.size) == 0 || errno == EINPROGRESS) return s;
  return {};
}

int connect_result(const socket_handle& socket) {
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  if (error == 0 && same(ask(socket, getsockname), ask(socket, getpeername))) return ECONNREFUSED;
  return error;
}

std::string remote_of(const socket_handle& socket) {
  const auto e = ask(socket, getpeername);
  if (!e) return "?";
  char host[NI_MAXHOST], port[NI_MAXSERV];
  if (getnameinfo(as_sockaddr(*e), e->size, host, sizeof host, port, sizeof port,
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "?";
  const std::string text(host);
  return (text.find(':') != std::string::npos ? "[" + text + "]" : text) + ":" + port;
}

}  // namespace flamingo::link
