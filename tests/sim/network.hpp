// The simulated network: doorways whose links have delay, bandwidth, loss, duplication and
// partitions, in virtual time on CAF's test coordinator. Links keep order, as TCP does; what is in
// flight at a cut is lost.
#pragma once

#include <caf/all.hpp>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/link/doorway.hpp"
#include "messages/time.hpp"
#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/random.hpp"
#include "tests/sim/tap.hpp"
#include "tests/sim/trace.hpp"

namespace flamingo::sim {

/// Names a host of the simulated network: a validator or a client. Crashes and cuts act on hosts.
using host_id = unsigned;

/// One direction of every link.
struct link_model {
  std::chrono::microseconds delay_min{500}, delay_max{5000};
  std::uint64_t bits_per_second = 300'000'000;  // egress of a host and conversation
  unsigned loss_per_mille = 0;                  // frames that vanish
  unsigned duplicate_per_mille = 0;             // frames that arrive twice
};

class network {
public:
  network(caf::actor_system& system, random_source& random, trace& log, link_model model);
  ~network();

  /// The doorways of `owner`, who lives on `host`. Valid until `crash(host)`.
  link::doorways doors(host_id host, link::peer owner);

  /// Cuts all links between the two hosts; dialled ones come back some time after `heal`.
  void cut(host_id a, host_id b);
  void heal(host_id a, host_id b);
  void heal_all();
  bool is_cut(host_id a, host_id b) const { return cuts_.contains(std::minmax(a, b)); }

  /// Takes the host down: no event reaches it any more, and its peers see its links go.
  void crash(host_id host);

  /// Ends everything: closes all links, forgets what is in flight, and stops. The actors exit when
  /// the coordinator runs them.
  void stop();

  link_model& model() { return model_; }

  /// Everything to and from `host` takes this much longer from now on.
  void slow(host_id host, duration extra) { extra_delay_[host] = extra; }
  void nobody_slow() { extra_delay_.clear(); }

  /// Puts a Byzantine behaviour on all links of `host`, for all its lives.
  void corrupt(host_id host, std::shared_ptr<byzantine::behaviour> how);

  /// `who` is told of every frame that arrives; it must outlive the network's use.
  void listen_in(tap& who) { taps_.push_back(&who); }

  /// Runs `what` after `delay` of virtual time, unless `host` crashed in between.
  void after(host_id host, duration delay, std::function<void()> what);

private:
  template <class Message>
  struct connection;
  template <class Message>
  class simulated_doorway;
  struct any_connection {
    virtual ~any_connection() = default;
    virtual void close() = 0;
    virtual bool is_open() const = 0;
    host_id hosts[2] = {0, 0};
  };

  byzantine::behaviour* behaviour_of(host_id host) {
    const auto found = corrupted_.find(host);
    return found == corrupted_.end() ? nullptr : found->second.get();
  }
  /// Sends `x` from `host` to a validator, past the behaviour of `host`, over all links of this
  /// conversation that are up.
  template <class Message>
  void say(host_id host, validator_id to, const wire<Message>& x);

  duration extra_delay(host_id host) const {
    const auto found = extra_delay_.find(host);
    return found == extra_delay_.end() ? duration::zero() : found->second;
  }

  void close_if(const std::function<bool(const any_connection&)>& which);
  /// When a frame of `bytes` that leaves `host` now has left its egress, and how long it travels
  /// then.
  time_point departure(host_id host, int conversation, std::size_t bytes);

  caf::actor_system& system_;
  random_source& random_;
  trace& trace_;
  link_model model_;
  caf::actor postman_;  // runs the tasks of `after` when their time comes
  std::map<std::uint64_t, std::function<void()>> tasks_;
  std::uint64_t next_task_ = 0;
  std::map<host_id, std::uint64_t> lives_;  // counts a host's crashes
  std::set<std::pair<host_id, host_id>> cuts_;
  std::map<host_id, duration> extra_delay_;
  std::map<host_id, std::shared_ptr<byzantine::behaviour>> corrupted_;
  std::vector<tap*> taps_;
  std::map<std::pair<host_id, int>, time_point> egress_free_at_;
  std::map<std::string, std::weak_ptr<void>> listeners_;  // "host:port" -> doorway and its events
  std::vector<std::shared_ptr<any_connection>> connections_;
};

}  // namespace flamingo::sim
