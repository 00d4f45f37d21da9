#include "apps/flamingo/commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

#include "apps/flamingo/help_format.hpp"

namespace flamingo::commands {

namespace {

/// An error as one line, whatever its text holds.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

}  // namespace

int run(const std::vector<std::string>& args, console streams) {
  CLI::App app{"A BFT ledger whose throughput survives imbalance.", "flamingo"};
  app.require_subcommand(1);
  app.formatter(std::make_shared<help_format>());  // before the subcommands, which take it over
  app.get_formatter()->column_width(34);
  action chosen;
  add_init(app, chosen);
  add_check_config(app, chosen);
  add_node(app, chosen);
  add_client(app, chosen);
  add_bank(app, chosen);
  add_local(app, chosen);
  add_status(app, chosen);
  add_version(app, chosen);
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp& e) {
    app.exit(e, streams.out, streams.err);
    return 0;
  } catch (const CLI::ParseError& e) {
    std::string named;
    for (const auto* at = &app; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      named += at->get_name() + " ";
    }
    streams.err << "flamingo: " << one_line(e.what()) << ": see flamingo " << named << "--help\n";
    return 2;
  }
  try {
    return chosen(streams);
  } catch (const usage_error& e) {
    streams.err << "flamingo: " << one_line(e.what()) << "\n";
    return 2;
  } catch (const std::exception& e) {
    streams.err << "flamingo: " << one_line(e.what()) << "\n";
    return 1;
  }
}

}  // namespace flamingo::commands
