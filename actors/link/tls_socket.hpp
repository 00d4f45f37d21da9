// Mutual TLS 1.3 over a connected, non-blocking socket that somebody else polls and closes: what
// carries CAF's remoting between the processes of one validator. Without CAF. One thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "actors/link/tls_engine.hpp"

namespace flamingo::link {

class tls_socket {
public:
  /// What may be written before the end of the hand-shake.
  static constexpr std::size_t early_bytes_max = 64 << 10;

  tls_socket(std::shared_ptr<const tls_context> context, tls_engine::side which);

  /// To be called first at the end that dials. As all below, false: the connection is over.
  bool start(int socket);

  /// Reads what there is, at most `room`. With `got` = 0 there is nothing for now.
  /// @param only_unread takes nothing from the socket.
  bool read(int socket, std::span<char> room, std::size_t& got, bool only_unread = false);

  /// Writes as much of `bytes` as the socket takes. With `written` = 0 it takes none for now; the
  /// next call must begin with the same bytes. Before the end of the hand-shake they are kept, so
  /// that nobody polls for room in vain while a stranger is silent.
  bool write(int socket, std::span<const char> bytes, std::size_t& written);

  /// The peer's certificate was checked.
  bool established() const { return established_; }

  /// The last `read` gave bytes, and there may be more that are not in the socket any more.
  bool unread() const { return unread_; }

private:
  enum class step : std::uint8_t { done, more, over };

  step handshake(int socket);
  bool receive(int socket, bool& any);
  bool send_rest(int socket);

  std::shared_ptr<const tls_context> context_;
  tls_engine engine_;
  bool established_ = false;
  bool unread_ = false;
  std::vector<char> in_;       // the engine reads from here
  std::vector<char> out_;      // records that wait for room in the socket
  std::size_t sent_ = 0;       // of out_
  std::size_t in_flight_ = 0;  // bytes of the caller's that out_ ends with
  std::vector<char> early_;    // written before the end of the hand-shake
};

}  // namespace flamingo::link
