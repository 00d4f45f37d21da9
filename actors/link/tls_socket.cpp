#include "actors/link/tls_socket.hpp"

#include <openssl/err.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace flamingo::link {

namespace {

constexpr std::size_t read_at_once = 64 << 10;
constexpr std::size_t encrypted_at_once = 256 << 10;

bool only_not_now() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

}  // namespace

tls_socket::tls_socket(std::shared_ptr<const tls_context> context, tls_engine::side which)
    : context_(std::move(context)), engine_(*context_, which) {}

bool tls_socket::start(int socket) {
  return handshake(socket) != step::over;
}

bool tls_socket::receive(int socket, bool& any) {
  in_.resize(read_at_once);
  const auto n = ::recv(socket, in_.data(), in_.size(), 0);
  any = n > 0;
  if (n == 0 || (n < 0 && !only_not_now())) return false;
  if (any) engine_.feed({in_.data(), static_cast<std::size_t>(n)});
  return true;
}

bool tls_socket::send_rest(int socket) {
  while (sent_ < out_.size()) {
    const auto n = ::send(socket, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0) return only_not_now();
    sent_ += static_cast<std::size_t>(n);
  }
  out_.clear();
  sent_ = 0;
  return true;
}

tls_socket::step tls_socket::handshake(int socket) {
  const auto progress = engine_.handshake(out_);
  // Its few records find room in a new socket; who is slower than that may dial again. What is left
  // of an alert has nobody to wait for it.
  if (!send_rest(socket) || !out_.empty()) return step::over;
  if (progress == tls_engine::progress::more) return step::more;
  if (progress != tls_engine::progress::done) return step::over;
  established_ = true;
  engine_.keep_buffers();
  if (!engine_.write(early_, out_) || !send_rest(socket) || !out_.empty()) return step::over;
  early_ = {};
  return step::done;
}

bool tls_socket::read(int socket, std::span<char> room, std::size_t& got, bool only_unread) {
  got = 0;
  unread_ = false;
  ERR_clear_error();  // of whatever else this thread does
  for (;;) {
    if (!established_ && handshake(socket) == step::over) return false;
    if (established_) {
      const auto progress = engine_.read(room, got, out_);
      if (progress == tls_engine::progress::done) return unread_ = true;
      if (progress != tls_engine::progress::more) {
        send_rest(socket);
        return false;
      }
    }
    if (only_unread) return true;
    bool any = false;
    if (!receive(socket, any)) return false;
    if (!any) return true;
  }
}

bool tls_socket::write(int socket, std::span<const char> bytes, std::size_t& written) {
  written = 0;
  if (!established_) {
    if (early_.size() + bytes.size() > early_bytes_max) return false;
    early_.insert(early_.end(), bytes.begin(), bytes.end());
    written = bytes.size();
    return true;
  }
  if (out_.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), encrypted_at_once));
    if (!engine_.write(part, out_)) return false;
    in_flight_ = part.size();
  }
  if (!send_rest(socket)) return false;
  if (out_.empty()) written = std::exchange(in_flight_, 0);
  return true;
}

}  // namespace flamingo::link
