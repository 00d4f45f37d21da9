// The clients of a simulation: the real client shells, over simulated doors, each with a host of
// its own.
#pragma once

#include <vector>

#include "actors/client/client_actor.hpp"
#include "tests/sim/world.hpp"

namespace flamingo::sim {

class client_fleet {
public:
  /// Spawns one client for each of the committee, and dials.
  client_fleet(world& in, const std::vector<client::settings>& load);
  ~client_fleet();

  void start();
  /// Nothing new is offered from now on; what is outstanding is waited for.
  void stop_load();

private:
  std::vector<link::doorways> doors_;
  std::vector<client_actor> clients_;
};

}  // namespace flamingo::sim
