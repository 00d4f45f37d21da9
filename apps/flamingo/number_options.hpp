// Numbers on a command line, taken as they stand or refused. CLI11 alone takes 99999999999999999999
// for the largest number, -1 for a huge one, 010 for 8 and nan for a share.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>

namespace flamingo::commands {

/// For Option::transform: a whole number in decimal digits from `low` to `high`, in a variable that
/// holds them.
template <std::integral T>
CLI::Validator whole_number(T low, T high = std::numeric_limits<T>::max()) {
  const auto parse = [low, high](std::string& text) -> std::string {
    T value{};
    const auto* end = text.data() + text.size();
    const auto [at, status] = std::from_chars(text.data(), end, value);
    if (text.empty() || status != std::errc{} || at != end || value < low || value > high)
      return fmt::format("expected a whole number from {} to {}, found \"{}\"", low, high, text);
    text = std::to_string(value);  // without zeros in front, which CLI11 would read as octal
    return {};
  };
  return CLI::Validator(parse, fmt::format("INT in [{} - {}]", low, high));
}

/// The same for a number that may have a fraction.
inline CLI::Validator real_number(double low, double high) {
  const auto parse = [low, high](std::string& text) -> std::string {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto [at, status] = std::from_chars(text.data(), end, value);
    if (text.empty() || status != std::errc{} || at != end || !(value >= low && value <= high))
      return fmt::format("expected a number from {} to {}, found \"{}\"", low, high, text);
    return {};
  };
  return CLI::Validator(parse, fmt::format("FLOAT in [{} - {}]", low, high));
}

}  // namespace flamingo::commands
