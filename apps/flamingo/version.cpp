// flamingo version.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <caf/config.hpp>
#include <nlohmann/json.hpp>

#include "apps/flamingo/commands.hpp"

namespace flamingo::commands {

namespace {

std::string caf_version() {
  return fmt::format("{}.{}.{}", CAF_MAJOR_VERSION, CAF_MINOR_VERSION, CAF_PATCH_VERSION);
}
std::string version_line() {
  return fmt::format("flamingo {} (CAF {})", FLAMINGO_VERSION, caf_version());
}

}  // namespace

void add_version(CLI::App& app, action& chosen) {
  app.set_version_flag("--version", version_line, "Print the version");
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("version", "Print the version");
  command->add_flag("--json", *json, "As one line of JSON");
  command->footer("Example: flamingo version");
  command->callback([json, &chosen] {
    chosen = [json](console to) {
      if (*json)
        to.out
            << nlohmann::ordered_json{{"version", FLAMINGO_VERSION}, {"caf", caf_version()}}.dump()
            << "\n";
      else
        to.out << version_line() << "\n";
      return 0;
    };
  });
}

}  // namespace flamingo::commands
