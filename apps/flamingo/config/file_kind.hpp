// Which of the four kinds a configuration file is of, by the keys at its top. Whoever gives a
// command another kind than it reads is told so, and not to remove what is in the file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

enum class file_kind { committee, node, client, operator_ };

/// "a validator's file (node.toml)".
std::string_view to_string(file_kind x);

/// Nothing for text that is no TOML, or that has the keys of no kind.
std::optional<file_kind> kind_of(std::string_view text);

/// As read_toml; a file of another kind is refused as such.
void read_file(std::string_view text, const std::string& name, file_kind wanted,
               const section& into);

}  // namespace flamingo::config
