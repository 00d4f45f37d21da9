// What happens in a run: the network, who is Byzantine, and which faults come when. All of it from
// a seed and the name of a recipe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/client/settings.hpp"
#include "tests/sim/byzantine/kinds.hpp"
#include "tests/sim/world.hpp"

namespace flamingo::sim {

enum class fault : std::uint8_t {
  crash,           // `a` loses power
  lose,            // `a`, which is down, loses its disk
  restart,         // `a` starts again from its disk
  cut,             // the links between `a` and `b` go
  heal,            // and may come back
  cut_client,      // the links of `client` go, to all validators
  heal_client,     // and may come back
  slow,            // `a` is `delay` further away from everybody
  lossy,           // all links lose and repeat `per_mille` of their frames
  add,             // an operator of `a` wants one executor more
  remove,          // or one less
  executor_crash,  // one of the executors of `a` ends
  host_crash,      // an executor host of `a` goes
  host_return,     // and those that went come back
  calm,            // all links are whole, nobody is slow, nothing is lost
};

struct event {
  duration at{};  // since the start
  fault what = fault::calm;
  validator_id a, b;
  std::chrono::microseconds delay{};
  unsigned per_mille = 0;
  client_id client{};

  std::string text() const;
};

struct scenario {
  std::string name;
  world_options world;
  std::vector<client::settings> load;  // of each client
  std::map<validator_id, byzantine_kind> byzantine;
  std::optional<validator_id> dead;  // an honest one that never comes back once it is down
  std::vector<event> events;         // by time; the last fault is a `calm` with everybody else up
  duration calm_at{};                // when the last fault is over
  duration liveness_bound{};         // within which everything must work after it
  std::uint64_t commits_to_show;     // that every honest validator must make after it

  bool is_honest(validator_id v) const { return !byzantine.contains(v); }
};

struct scenario_options {
  std::uint64_t seed = 1;
  std::string recipe = "mixed";
  std::optional<unsigned> validators;         // else 4 to 7, from the seed
  duration active = std::chrono::seconds(8);  // while faults come
};

/// @throws std::invalid_argument with one line if there is no recipe of that name.
scenario make_scenario(const scenario_options&);

struct recipe_name {
  std::string name, about;
};
std::vector<recipe_name> recipes();

}  // namespace flamingo::sim
