// Who listens on the simulated links: checkers that need to know what was said.
#pragma once

#include "actors/interfaces.hpp"
#include "actors/link/doorway.hpp"
#include "messages/time.hpp"

namespace flamingo::sim {

/// Called for each frame that arrives, before its receiver sees it, and for those between workers
/// also when they leave.
class tap {
public:
  virtual ~tap() = default;
  virtual void left(link::peer from, link::peer to, const worker_frame& x) {
    (void)from, (void)to, (void)x;
  }
  virtual void arrived(link::peer from, link::peer to, const peer_frame& x) {
    (void)from, (void)to, (void)x;
  }
  virtual void arrived(link::peer from, link::peer to, const worker_frame& x) {
    (void)from, (void)to, (void)x;
  }
  virtual void arrived(link::peer from, link::peer to, const client_frame& x) {
    (void)from, (void)to, (void)x;
  }
  virtual void arrived(link::peer from, link::peer to, const operator_frame& x) {
    (void)from, (void)to, (void)x;
  }
};

}  // namespace flamingo::sim
