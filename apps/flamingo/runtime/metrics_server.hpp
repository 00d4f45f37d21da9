// Serves a process's metrics to Prometheus on /metrics. One thread and a bounded number of
// connections: whoever connects and says nothing, or reads nothing, is dropped, and keeps no scrape
// waiting. (The server that comes with prometheus-cpp gives each connection a thread for as long as
// it likes.)
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "actors/link/sockets.hpp"
#include "actors/runtime/metrics.hpp"
#include "messages/committee.hpp"

namespace flamingo::runtime {

class metrics_server {
public:
  /// One more, and the oldest that has not asked yet makes room.
  static constexpr std::size_t connections_max = 64;
  /// For a whole request, from the connection's begin.
  static constexpr std::chrono::milliseconds request_timeout{2000};
  /// For an answer to be taken.
  static constexpr std::chrono::milliseconds answer_timeout{10'000};
  static constexpr std::size_t request_bytes_max = 8 << 10;

  /// Listens at `where` (port 0: any free one) and serves the registry of `of`, the process's own
  /// use, and what is added. Throws config::error, one line that names the address and the key that
  /// sets it.
  metrics_server(const network_address& where, const metrics& of);
  ~metrics_server();
  metrics_server(const metrics_server&) = delete;
  metrics_server& operator=(const metrics_server&) = delete;

  void add(std::shared_ptr<prometheus::Collectable> more);

  /// The port that it listens at.
  std::uint16_t port() const { return link::local_port(listener_); }

private:
  using time = std::chrono::steady_clock::time_point;
  enum class stage : std::uint8_t { asks, answered, leaves };
  struct connection {
    link::socket_handle socket;
    time until;
    stage at = stage::asks;
    std::string in, out;  // the request so far; what of the answer has not left
  };

  void serve();
  void accept_all(time now);
  void make_room();
  bool go_on(connection& x, time now);
  bool hear(connection& x, time now);
  std::string answer_to(const std::string& request);
  std::string page();

  std::mutex mutex_;  // guards served_
  std::vector<std::shared_ptr<prometheus::Collectable>> served_;
  link::socket_handle listener_, stopped_;  // the second an eventfd
  std::list<connection> connections_;       // oldest first; the thread's, as what follows
  time accept_again_{};                     // after a lack of descriptors
  std::thread thread_;
};

}  // namespace flamingo::runtime
