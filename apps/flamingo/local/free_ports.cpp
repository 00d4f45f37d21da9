#include "apps/flamingo/local/free_ports.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <stdexcept>

namespace flamingo::local {

namespace {

constexpr std::uint32_t lowest = 10'000;

/// The first port for outgoing connections.
std::uint32_t ephemeral_start() {
  constexpr std::uint32_t usual = 32'768;
  std::ifstream in("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint32_t first = 0;
  return in >> first && first > lowest + 1000 ? first : usual;
}

/// Sockets that hold their ports until the end of a search.
class held_sockets {
public:
  ~held_sockets() {
    for (const int s : sockets_) ::close(s);
  }
  bool hold(std::uint16_t port) {
    const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s < 0) return false;
    sockets_.push_back(s);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    where.sin_port = htons(port);
    return ::bind(s, reinterpret_cast<const sockaddr*>(&where), sizeof where) == 0 &&
           ::listen(s, 1) == 0;
  }

private:
  std::vector<int> sockets_;
};

}  // namespace

std::vector<std::uint16_t> free_ports(std::size_t count) {
  const std::uint32_t range = ephemeral_start() - lowest;
  const std::uint32_t start = std::random_device{}() % range;
  held_sockets held;
  std::vector<std::uint16_t> out;
  for (std::uint32_t i = 0; i < range && out.size() < count; ++i) {
    const auto port = static_cast<std::uint16_t>(lowest + (start + i) % range);
    if (held.hold(port)) out.push_back(port);
  }
  if (out.size() < count)
    throw std::runtime_error(fmt::format("only {} of {} ports are free between {} and {}",
                                         out.size(), count, lowest, lowest + range));
  return out;
}

}  // namespace flamingo::local
