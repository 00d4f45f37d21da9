// One thread that accepts and dials for all links of a node, so that nothing which may wait (a name
// look-up, a connect) is ever done in CAF's middleman thread. No CAF: it hands out sockets.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "actors/link/sockets.hpp"

namespace flamingo::link {

/// Doubles from `least` to `most`, each wait between half of that and all of it.
class back_off {
public:
  back_off(std::chrono::milliseconds least, std::chrono::milliseconds most)
      : least_(least), most_(most) {}
  /// @param random any number; its remainder is the jitter.
  std::chrono::milliseconds next(std::uint64_t random);
  void reset() { doublings_ = 0; }
  std::uint32_t failures() const { return doublings_; }

private:
  std::chrono::milliseconds least_, most_;
  std::uint32_t doublings_ = 0;
};

class connector {
public:
  struct timing {
    std::chrono::milliseconds connect_timeout, retry_min, retry_max;
  };
  using id = std::uint64_t;
  /// Called from the connector's thread, which waits meanwhile, with what `accept` or `dial` will
  /// return or returned. It must call no method here but `lost`.
  using arrived = std::function<void(id, socket_handle)>;
  /// An attempt failed: the reason, and how many failed in a row.
  using failed = std::function<void(const std::string& reason, std::uint32_t attempts)>;

  explicit connector(timing t);
  ~connector();
  connector(const connector&) = delete;

  /// Hands every connection that comes to `from` to `to`, until `forget`.
  id accept(socket_handle from, arrived to);

  /// Connects to `where`, as often as it takes, and hands the connection to `to`; dials again after
  /// `lost`.
  id dial(const network_address& where, arrived to, failed on_failure);

  /// The connection that `dial` handed out last is gone. Starts the waits anew if it was good for
  /// long.
  void lost(id which, bool was_good);

  /// Ends an `accept` (closing its listener) or a `dial`. None of its functions runs after that.
  void forget(id which);

private:
  using clock = std::chrono::steady_clock;
  struct lookup;
  struct listener {
    socket_handle socket;
    arrived to;
  };
  struct call {
    enum class phase : std::uint8_t { waiting, looking_up, connecting, connected };
    network_address where;
    arrived to;
    failed on_failure;
    back_off waits{{}, {}};
    phase now = phase::waiting;
    clock::time_point until{};  // of the wait or of the attempt
    clock::time_point connected_at{};
    std::shared_ptr<lookup> name;
    std::deque<endpoint> left;  // endpoints not tried in this attempt
    socket_handle socket;
  };
  struct wake_up;
  struct watched {
    id which;
    int fd;
    bool ready = false;
  };

  void run();
  std::vector<watched> watch(clock::time_point now, int& timeout_ms);
  void serve(const watched& w);
  void accept_waiting(id which, listener& l);
  void advance(call& c, clock::time_point now);
  void start(call& c, clock::time_point now);
  void try_next(call& c, clock::time_point now, int error);
  void decide(id which, call& c, clock::time_point now);
  void give_up(call& c, clock::time_point now, const std::string& reason);

  timing timing_;
  std::shared_ptr<wake_up> wake_;  // also of look-ups that outlive this
  std::mutex mutex_;               // guards all below
  std::map<id, listener> listeners_;
  std::map<id, call> calls_;
  id next_id_ = 1;
  bool stopping_ = false;
  clock::time_point accept_again_{};  // after the process ran out of descriptors
  std::mt19937_64 random_{std::random_device{}()};
  std::thread thread_;
};

}  // namespace flamingo::link
