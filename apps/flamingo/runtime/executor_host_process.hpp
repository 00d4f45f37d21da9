// A process of a validator that runs nothing but executors, which its executor group spawns here:
// `flamingo node --roles executor-host`. It has no store and no key of the validator.
#pragma once

#include <string>

#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"

namespace flamingo::runtime {

/// Which of [[internal.executor_hosts]] this process is. Throws config::error with one line that
/// says what the file must have.
/// @param chosen host:port, or empty if the file has only one.
network_address place_executor_host(const config::node_file& file, const std::string& chosen);

/// Runs until a signal or a failure. Throws std::runtime_error, one line, if it cannot listen.
void run_executor_host(const config::node_file& file, const network_address& at, stop_signal& stop);

}  // namespace flamingo::runtime
