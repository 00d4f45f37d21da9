// How a load is split among clients, evenly or skewed onto one validator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flamingo::load {

struct skew {
  double share = 0;  // 0..1
  std::string validator;
};

/// "0.9:v0"; nothing for an empty text. Throws commands::usage_error for anything else.
std::optional<skew> parse_skew(const std::string& text);

/// Each client's part of `rate`. With a skew, its share goes evenly to the clients whose assignee
/// is its validator, the rest evenly to the others. The parts add up to `rate`. Throws
/// commands::usage_error if no client has that assignee, or none another one while there is a rest.
std::vector<std::uint64_t> split_rate(std::uint64_t rate, const std::vector<std::string>& assignees,
                                      const std::optional<skew>& by);

}  // namespace flamingo::load
