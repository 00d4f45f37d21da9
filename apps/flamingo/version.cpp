// flamingo version.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <caf/config.hpp>
#include <nlohmann/json.hpp>

#include "apps/flamingo/commands.hpp"

namespace flamingo::commands {

void add_version(CLI::App& app, action& chosen) {
  auto json = std::make_shared<bool>(false);
  auto* command = app.add_subcommand("version", "Print the version");
  command->add_flag("--json", *json, "As one line of JSON");
  command->footer("Example: flamingo version");
  command->callback([json, &chosen] {
    chosen = [json](console to) {
      const auto caf =
          fmt::format("{}.{}.{}", CAF_MAJOR_VERSION, CAF_MINOR_VERSION, CAF_PATCH_VERSION);
      if (*json)
        to.out << nlohmann::ordered_json{{"version", FLAMINGO_VERSION}, {"caf", caf}}.dump()
               << "\n";
      else
        to.out << fmt::format("flamingo {} (CAF {})\n", FLAMINGO_VERSION, caf);
      return 0;
    };
  });
}

}  // namespace flamingo::commands
