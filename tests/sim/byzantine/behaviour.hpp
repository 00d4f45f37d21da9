// What a Byzantine validator does differently. It sits on the links of a validator that runs the
// real shells: it sees every frame on its way out and in, and decides what the others get.
// A behaviour knows its own keys and nobody else's; it never touches protocol code.
#pragma once

#include <functional>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/link/doorway.hpp"

namespace flamingo::sim::byzantine {

class behaviour {
public:
  virtual ~behaviour() = default;

  /// What leaves in place of `x`; nothing: it is withheld.
  virtual std::vector<peer_frame> says(link::peer to, const peer_frame& x) {
    (void)to;
    return {x};
  }
  virtual std::vector<worker_frame> says(link::peer to, const worker_frame& x) {
    (void)to;
    return {x};
  }
  virtual std::vector<client_frame> says(link::peer to, const client_frame& x) {
    (void)to;
    return {x};
  }
  virtual std::vector<operator_frame> says(link::peer to, const operator_frame& x) {
    (void)to;
    return {x};
  }

  /// A frame for this validator. What it answers beside its shells leaves through `send`.
  virtual void hears(link::peer from, const peer_frame& x) {
    (void)from;
    (void)x;
  }
  virtual void hears(link::peer from, const worker_frame& x) {
    (void)from;
    (void)x;
  }

  /// Sends a frame of its own to a validator, if a link is up: to its primary, or to all of its
  /// workers. Set by the network.
  std::function<void(validator_id to, const peer_frame&)> send;
  std::function<void(validator_id to, const worker_frame&)> send_to_workers;
};

}  // namespace flamingo::sim::byzantine
