#include "apps/flamingo/config/state_size.hpp"

#include <fmt/format.h>

namespace flamingo::config {

namespace {

// Of an account. Each executor: value, owner, and a share of what all know of buckets. The
// validator: a snapshot of all accounts on its way to the store.
constexpr std::uint64_t bytes_of_executor = 32, bytes_of_snapshot = 40;

constexpr std::uint64_t told_from = std::uint64_t{1} << 30;

}  // namespace

std::uint64_t state_bytes_max(std::uint64_t accounts, std::uint16_t executors) {
  return accounts * (bytes_of_executor * executors + bytes_of_snapshot);
}

std::optional<std::string> large_state(std::uint64_t accounts, std::uint16_t executors) {
  const auto bytes = state_bytes_max(accounts, executors);
  if (bytes < told_from) return std::nullopt;
  return fmt::format(
      "{} accounts take up to {:.1f} GiB of memory in a validator with {} executor{}, and time at "
      "each start: see that its machine has that, or make fewer accounts",
      accounts, static_cast<double>(bytes) / static_cast<double>(1 << 30), executors,
      executors == 1 ? "" : "s");
}

}  // namespace flamingo::config
