#include "apps/flamingo/config/toml_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/flamingo/config/error.hpp"

namespace flamingo::config {

namespace {

/// Past the string that starts at `at`, or past what is left of its line if it does not end.
std::size_t past_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string ends(3, quote);
  const bool many_lines = text.substr(at, 3) == ends;
  for (auto i = at + (many_lines ? 3 : 1); i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\')
      ++i;
    else if (many_lines && text.substr(i, 3) == ends)
      return i + 3;
    else if (!many_lines && (text[i] == quote || text[i] == '\n'))
      return text[i] == quote ? i + 1 : i;
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_too_deep(std::string_view text) {
  std::size_t line = 1, dots = 0, brackets = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '#':
        i = std::min(text.find('\n', i), text.size()) - 1;
        break;
      case '"':
      case '\'': {
        const auto end = past_string(text, i);
        line += static_cast<std::size_t>(std::count(text.begin() + static_cast<long>(i),
                                                    text.begin() + static_cast<long>(end), '\n'));
        i = end - 1;
        break;
      }
      case '.':
        if (++dots >= nesting_max) return line;
        break;
      case '[':
      case '{':
        dots = 0;
        if (++brackets > nesting_max) return line;
        break;
      case ']':
      case '}':
        brackets -= brackets > 0;
        dots = 0;
        break;
      case '\n':
        ++line;
        [[fallthrough]];
      case '=':
      case ',':
        dots = 0;
        break;
      default:
        break;
    }
  }
  return std::nullopt;
}

toml::table parse_toml(std::string_view text, const std::string& name) {
  if (const auto line = line_too_deep(text))
    throw error(fmt::format("{}:{}: nests deeper than {} levels: no configuration file does", name,
                            *line, nesting_max));
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    throw error(fmt::format("{}:{}: not valid TOML: {}", name, e.source().begin.line,
                            one_line(e.description())));
  }
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char x : text) {
    if (static_cast<unsigned char>(x) >= 0x20 && x != 0x7f)
      out += x;
    else if (x == '\n')
      out += "\\n";
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(x));
  }
  return out;
}

}  // namespace flamingo::config
