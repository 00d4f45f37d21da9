#include "apps/flamingo/help_format.hpp"

#include <limits>
#include <regex>

namespace flamingo::commands {

std::string help_format::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0) return {};  // a flag
  // CLI11 puts types and checks together: "UINT:INT in [1 - 100]", "TEXT:{text,json}".
  const std::string type = option->get_type_name();
  std::string value = type, details;
  const auto add = [&](const std::string& x) { details += (details.empty() ? "" : ", ") + x; };
  std::smatch found;
  if (std::regex_match(type, found, std::regex(R"(\w+:\w+ in \[(\S+) - (\S+)\])"))) {
    value = "N";
    const bool endless = found[2] == std::to_string(std::numeric_limits<std::int64_t>::max()) ||
                         found[2] == std::to_string(std::numeric_limits<std::uint64_t>::max());
    add(endless ? "at least " + found[1].str() : found[1].str() + " to " + found[2].str());
  } else if (type == "UINT" || type == "INT" || type == "FLOAT") {
    value = "N";
  } else if (type.starts_with("TEXT:")) {
    value = type.substr(5);
  }
  if (option->get_expected_max() == CLI::detail::expected_max_vector_size) value += " ...";
  if (!option->get_default_str().empty()) add("default " + option->get_default_str());
  if (option->get_required()) add("required");
  return " " + value + (details.empty() ? "" : " (" + details + ")");
}

}  // namespace flamingo::commands
