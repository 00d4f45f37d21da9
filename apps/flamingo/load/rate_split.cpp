#include "apps/flamingo/load/rate_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "apps/flamingo/commands.hpp"

namespace flamingo::load {

namespace {

/// Adds parts of `rate` that differ by one at most to those of `parts` for which `mine` holds.
template <class Mine>
void spread(std::uint64_t rate, std::vector<std::uint64_t>& parts, Mine mine) {
  std::uint64_t count = 0, given = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) count += mine(i);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (mine(i)) parts[i] += rate / count + (given++ < rate % count);
}

}  // namespace

std::optional<skew> parse_skew(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto colon = text.find(':');
  skew out;
  if (colon != std::string::npos) {
    const auto* end = text.data() + colon;
    const auto [at, status] = std::from_chars(text.data(), end, out.share);
    out.validator = text.substr(colon + 1);
    if (status == std::errc{} && at == end && out.share >= 0 && out.share <= 1 &&
        !out.validator.empty())
      return out;
  }
  throw commands::usage_error(fmt::format(
      "--skew: expected SHARE:VALIDATOR with a share from 0 to 1, such as 0.9:v0, found {}", text));
}

std::vector<std::uint64_t> split_rate(std::uint64_t rate, const std::vector<std::string>& assignees,
                                      const std::optional<skew>& by) {
  std::vector<std::uint64_t> parts(assignees.size());
  if (!by) {
    spread(rate, parts, [](std::size_t) { return true; });
    return parts;
  }
  const auto skewed = [&](std::size_t i) { return assignees[i] == by->validator; };
  const auto count = std::count(assignees.begin(), assignees.end(), by->validator);
  const auto part = static_cast<std::uint64_t>(std::llround(static_cast<double>(rate) * by->share));
  if (count == 0)
    throw commands::usage_error(
        fmt::format("--skew: expected a validator that a client of this load is assigned to, which "
                    "are {}, found {}",
                    fmt::join(std::set(assignees.begin(), assignees.end()), ", "), by->validator));
  if (static_cast<std::size_t>(count) == assignees.size() && part != rate)
    throw commands::usage_error(
        fmt::format("--skew: all clients of this load are assigned to {}: expected others too, for "
                    "the rest of the load, or a share of 1",
                    by->validator));
  spread(part, parts, skewed);
  if (part != rate) spread(rate - part, parts, [&](std::size_t i) { return !skewed(i); });
  return parts;
}

}  // namespace flamingo::load
