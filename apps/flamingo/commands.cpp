#include "apps/flamingo/commands.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/flamingo/config/nearest.hpp"
#include "apps/flamingo/config/schema.hpp"
#include "apps/flamingo/help_format.hpp"

namespace flamingo::commands {

namespace {

constexpr std::size_t word_shown_max = 40;

/// An error as one line, whatever its text holds.
std::string one_line(std::string text) {
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), control, ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string shown(const std::string& word) {
  return config::toml_string(word.substr(0, word_shown_max));
}

/// "; did you mean status?", or nothing.
std::string meant(const std::vector<std::string>& known, const std::string& word) {
  const auto near = config::nearest(known, word.substr(0, word_shown_max), 2);
  return near ? fmt::format("; did you mean {}?", *near) : std::string();
}

/// What is wrong where a command is expected: a word that names none, or no word.
std::optional<std::string> wrong_command(const CLI::App& app,
                                         const std::vector<std::string>& args) {
  const auto* at = &app;
  std::string path = "flamingo";
  auto word = args.begin();
  std::vector<std::string> names;
  for (;; ++word) {
    const auto known = at->get_subcommands({});
    if (known.empty()) return std::nullopt;
    names.clear();
    for (const auto* command : known) names.push_back(command->get_name());
    if (word == args.end()) break;
    if (word->starts_with('-') && at->get_option_no_throw(*word) != nullptr) return std::nullopt;
    const auto found = std::find(names.begin(), names.end(), *word);
    if (found == names.end()) break;
    at = known[static_cast<std::size_t>(found - names.begin())];
    path += " " + *word;
  }
  std::string what = "no command";
  if (word != args.end() && word->starts_with('-'))
    what = fmt::format("{} is no option of {}", shown(*word), path);
  else if (word != args.end())
    what = fmt::format("{} is no command{}", shown(*word), meant(names, *word));
  return fmt::format("{}: expected one of {}: see {} --help", what, fmt::join(names, ", "), path);
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

/// The first word of a command line that its command has no use for.
std::optional<std::string> unknown_word(const CLI::App& command) {
  const auto left = command.remaining();
  if (left.empty()) return std::nullopt;
  const auto option = std::find_if(left.begin(), left.end(),
                                   [](const std::string& x) { return x.starts_with('-'); });
  if (option == left.end()) return fmt::format("{} is one word too many", shown(left.front()));
  std::vector<std::string> names;
  for (const auto* x : command.get_options())
    for (const auto& name : x->get_lnames()) names.push_back("--" + name);
  return fmt::format("{} is no option of it{}", shown(*option), meant(names, *option));
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
  add_bench(app, chosen);
  add_status(app, chosen);
  add_executor(app, chosen);
  add_version(app, chosen);
  if (const auto wrong = wrong_command(app, args)) {
    streams.err << "flamingo: " << *wrong << "\n";
    return 2;
  }
  try {
    std::vector<std::string> reversed(args.rbegin(), args.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp& e) {
    app.exit(e, streams.out, streams.err);
    return 0;
  } catch (const CLI::CallForVersion& e) {
    streams.out << e.what() << "\n";
    return 0;
  } catch (const CLI::ParseError& e) {
    const auto& command = chosen_command(app);
    std::string named;
    for (const auto* at = &app; at != &command;) {
      at = at->get_subcommands().front();
      named += at->get_name() + " ";
    }
    // First what was not understood: that something else is missing may follow from it.
    const auto why = unknown_word(command).value_or(one_line(e.what()));
    streams.err << "flamingo: " << why << ": see flamingo " << named << "--help\n";
    return 2;
  }
  try {
    return chosen(streams);
  } catch (const usage_error& e) {
    streams.err << "flamingo: " << one_line(e.what()) << "\n";
    return 2;
  } catch (const std::filesystem::filesystem_error& e) {
    streams.err << "flamingo: "
                << one_line(fmt::format("{}: cannot be used ({}): check that it is there and whose",
                                        e.path1().string(), e.code().message()))
                << "\n";
    return 1;
  } catch (const std::exception& e) {
    streams.err << "flamingo: " << one_line(e.what()) << "\n";
    return 1;
  }
}

}  // namespace flamingo::commands
