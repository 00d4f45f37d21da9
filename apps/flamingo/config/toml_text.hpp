// TOML text to a table, within bounds: toml++ recurses once for each level of a dotted key, and a
// file of nothing but dots runs out of stack.
#pragma once

#include <toml++/toml.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flamingo::config {

/// Parts of a dotted key, and arrays and inline tables within each other. No file needs half.
inline constexpr std::size_t nesting_max = 16;

/// The first line that nests deeper than `nesting_max`, counted from 1.
std::optional<std::size_t> line_too_deep(std::string_view text);

/// Throws config::error, which names the file and the line, if `text` is no TOML or nests too deep.
toml::table parse_toml(std::string_view text, const std::string& name);

/// `text` with its control characters written out: an error is one line, whatever it quotes.
std::string one_line(std::string_view text);

}  // namespace flamingo::config
