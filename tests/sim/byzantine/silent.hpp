// A silent validator: it hears everything and says nothing to the other validators, or to anybody.
#pragma once

#include "tests/sim/byzantine/behaviour.hpp"

namespace flamingo::sim::byzantine {

class silent final : public behaviour {
public:
  /// @param to_clients whether it keeps silent to them too.
  explicit silent(bool to_clients) : to_clients_(to_clients) {}

  std::vector<peer_frame> says(link::peer, const peer_frame&) override { return {}; }
  std::vector<worker_frame> says(link::peer, const worker_frame&) override { return {}; }
  std::vector<client_frame> says(link::peer, const client_frame& x) override {
    return to_clients_ ? std::vector<client_frame>{} : std::vector{x};
  }
  using behaviour::says;

private:
  bool to_clients_;
};

}  // namespace flamingo::sim::byzantine
