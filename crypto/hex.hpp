// Bytes as people read them: lower-case hexadecimal, in key files, committee files and messages.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "messages/digest.hpp"

namespace flamingo::crypto {

inline std::string to_hex(byte_span bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const auto b : bytes) (out += digits[b >> 4]) += digits[b & 15];
  return out;
}

/// Empty unless `text` is exactly 2 * N hexadecimal digits of either case.
template <std::size_t N>
std::optional<std::array<byte, N>> from_hex(std::string_view text) {
  const auto value = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  if (text.size() != 2 * N) return std::nullopt;
  std::array<byte, N> out{};
  for (std::size_t i = 0; i < N; ++i) {
    const int high = value(text[2 * i]), low = value(text[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out[i] = static_cast<byte>(high << 4 | low);
  }
  return out;
}

}  // namespace flamingo::crypto
