// What the state of a network's accounts takes, to be told before it is waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace flamingo::config {

/// Memory, bytes, that a validator with so many executors in one process takes for them at most
/// (docs/executors.md, "What one costs").
std::uint64_t state_bytes_max(std::uint64_t accounts, std::uint16_t executors);

/// One line, without an end, if that is more than a machine has to spare unasked.
std::optional<std::string> large_state(std::uint64_t accounts, std::uint16_t executors);

}  // namespace flamingo::config
