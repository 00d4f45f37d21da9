// What a process needs to hold links: the actor system, metrics, and its doorways.
#pragma once

#include <caf/actor_system.hpp>

#include "actors/link/tcp_doorways.hpp"
#include "actors/runtime/metrics.hpp"
#include "apps/flamingo/runtime/actor_system_settings.hpp"

namespace flamingo::runtime {

class link_process {
public:
  /// Throws std::runtime_error, one line, as link::make_doorways.
  link_process(const config::runtime_settings& threads, const link::settings& links,
               const link::identity& who, const labels& common);
  /// Closes all links and ends the actor system. All other actors must have been told to end.
  ~link_process();
  link_process(const link_process&) = delete;
  link_process& operator=(const link_process&) = delete;

  /// Closes all links. Idempotent.
  void close();

private:
  actor_system_settings config_;

public:
  caf::actor_system system;
  std::shared_ptr<runtime::metrics> metrics;
  link::doorways doors;
};

}  // namespace flamingo::runtime
