// How CAF runs in every command: few threads that sleep when idle, and the middleman for brokers.
#pragma once

#include <caf/actor_system_config.hpp>

#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::runtime {

/// Measured (design: the hot path): CAF's default of polling, stealing threads costs 1.5 to 2.1 µs
/// a transaction and most of a core when idle; `sharing` with one or two threads does not.
class actor_system_settings : public caf::actor_system_config {
public:
  explicit actor_system_settings(const config::runtime_settings& x);
};

}  // namespace flamingo::runtime
