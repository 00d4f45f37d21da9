// Of known names the one that somebody may have meant.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flamingo::config {

/// The known name that at most `edits` insertions, removals and replacements of characters turn
/// `name` into, the nearest one; nothing if none is so near. Takes time by the product of lengths.
std::optional<std::string> nearest(const std::vector<std::string>& known, std::string_view name,
                                   std::size_t edits = 3);

}  // namespace flamingo::config
