#include "apps/flamingo/config/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/toml_text.hpp"

namespace flamingo::config {

std::string_view to_string(file_kind x) {
  switch (x) {
    case file_kind::committee:
      return "a committee file (committee.toml)";
    case file_kind::node:
      return "a validator's file (node.toml)";
    case file_kind::client:
      return "a client's file (client.toml)";
    case file_kind::operator_:
      return "an operator's file (operator.toml)";
  }
  return "no configuration file";
}

std::optional<file_kind> kind_of(std::string_view text) {
  toml::table table;
  try {
    table = parse_toml(text, {});
  } catch (const error&) {
    return std::nullopt;
  }
  if (table.contains("validators") || table.contains("protocol")) return file_kind::committee;
  if (table.contains("validator")) return file_kind::node;
  if (table.contains("client")) return file_kind::client;
  // What an operator's file holds all have.
  constexpr std::array known{"committee", "keys", "link"};
  const bool only_known = std::all_of(table.begin(), table.end(), [&](const auto& x) {
    return std::any_of(known.begin(), known.end(),
                       [&](const char* key) { return x.first.str() == key; });
  });
  const auto* keys = table["keys"].as_table();
  if (only_known && table.contains("committee") && (keys == nullptr || !keys->contains("signing")))
    return file_kind::operator_;
  return std::nullopt;
}

void read_file(std::string_view text, const std::string& name, file_kind wanted,
               const section& into) {
  try {
    read_toml(text, name, into);
  } catch (const error&) {
    const auto found = kind_of(text);
    if (!found || *found == wanted) throw;
    throw error(
        fmt::format("{}: {} {}: expected {}", name,
                    *found == file_kind::operator_ ? "names no validator and no client, as" : "is",
                    to_string(*found), to_string(wanted)));
  }
}

}  // namespace flamingo::config
