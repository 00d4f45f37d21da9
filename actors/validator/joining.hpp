// How a validator comes back that lost its store, or was left behind: a joiner of its own, with the
// peers' links alone, fills the store before the roles start. No logic.
#pragma once

#include <functional>
#include <optional>

#include "actors/interfaces.hpp"
#include "actors/joiner/joiner_actor.hpp"
#include "actors/link/doorway.hpp"
#include "actors/runtime/environment.hpp"

namespace flamingo::validator {

/// One line if this store, standing as it does, cannot be made whole by joining.
std::optional<std::string> cannot_join(const committee&, const joiner::standing&);

class joining {
public:
  /// @param done is called once, on an actor's thread, when the store is as the roles need it.
  joining(caf::actor_system& system, runtime::environment_ptr env, link::doorways doors,
          const joiner::standing& stands, std::function<void()> done);

  /// Throws std::runtime_error, with one line that names the address, if it cannot listen.
  void start(const network_address& where);
  /// Closes the links and asks the joiner to exit. Does not wait for it.
  void stop();

private:
  runtime::environment_ptr env_;
  link::doorways doors_;
  joiner_actor joiner_;
};

}  // namespace flamingo::validator
