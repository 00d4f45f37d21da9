// flamingo-sim: runs whole validators in virtual time under faults from a seed, and checks what
// must hold (design: "The simulator runs the real shells").
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <deque>
#include <iostream>

#include "apps/flamingo/number_options.hpp"
#include "tests/sim/report.hpp"
#include "tests/sim/seed_runner.hpp"

namespace {

using namespace flamingo::sim;
using flamingo::commands::real_number;
using flamingo::commands::whole_number;

struct arguments {
  std::string seeds;
  std::optional<std::uint64_t> seed;
  std::string recipe = "mixed";
  std::optional<unsigned> validators;
  double seconds = 8;
  bool trace = false, json = false, twice = false, list = false, stop_at_first = false;
  unsigned processes = 2, limit_seconds = 120;
};

constexpr std::uint64_t seed_max = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t trace_lines_shown = 80;
constexpr std::uint64_t sample_of_twice = 10;  // one seed in this many is run twice

scenario plan_of(const arguments& args, std::uint64_t seed) {
  scenario_options options;
  options.seed = seed;
  options.recipe = args.recipe;
  options.validators = args.validators;
  options.active = std::chrono::milliseconds(static_cast<std::int64_t>(args.seconds * 1000));
  return make_scenario(options);
}

std::string command_of(const arguments& args, std::uint64_t seed) {
  std::string out = fmt::format("flamingo-sim --seed {} --trace --scenario {} --time {}", seed,
                                args.recipe, args.seconds);
  if (args.validators) out += fmt::format(" --validators {}", *args.validators);
  return out;
}

/// In a process of its own: one seed, its line, and what was violated.
bool run_seed(const arguments& args, std::uint64_t seed, int to) {
  const auto plan = plan_of(args, seed);
  const auto began = std::chrono::steady_clock::now();
  auto result = simulate(plan, {});
  if (args.twice || (!args.seed && seed % sample_of_twice == 0)) {
    const auto again = simulate(plan, {});
    if (again.trace_hash != result.trace_hash)
      result.found.push_back({"determinism", "the same seed gave another trace the second time"});
  }
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  write_text(to, (args.json ? json_of(plan, result, took) : line_of(plan, result, took)) + "\n");
  if (!args.json)
    for (const auto& x : result.found) write_text(to, "  " + x.property + ": " + x.what + "\n");
  return result.holds();
}

bool trace_seed(const arguments& args, std::uint64_t seed, int to) {
  const auto plan = plan_of(args, seed);
  return simulate(plan, [to](const std::string& line) { write_text(to, line + "\n"); }).holds();
}

/// The end of a failed seed's trace, from another run of it.
void print_trace_end(const arguments& args, std::uint64_t seed) {
  std::string text;
  seed_runner again([&](std::uint64_t s, int to) { return trace_seed(args, s, to); }, 1,
                    4 * args.limit_seconds);
  again.run(seed, seed, [&](const seed_result& x) {
    text = x.text;
    return true;
  });
  std::size_t from = text.size();
  for (std::size_t lines = 0; from > 0 && lines <= trace_lines_shown;)
    if (text[--from] == '\n') ++lines;
  std::cerr << "the end of its trace:\n" << text.substr(from);
}

struct seed_range {
  std::uint64_t first = 0, last = 0;
};

/// "1-200".
seed_range parse_range(const std::string& text) {
  const auto dash = text.find('-');
  std::string from = text.substr(0, dash), to = text.substr(std::min(dash, text.size()));
  to.erase(0, 1);
  const auto number = whole_number<std::uint64_t>(0, seed_max);
  if (!number(from).empty() || !number(to).empty() || std::stoull(from) > std::stoull(to))
    throw std::invalid_argument(
        fmt::format("--seeds: expected two numbers from 0 to {}, the larger one last, such as "
                    "1-200, found {}",
                    seed_max, text));
  return {std::stoull(from), std::stoull(to)};
}

int run_range(const arguments& args) {
  if (!args.seed && args.seeds.empty())
    throw std::invalid_argument("expected --seeds, such as 1-200, or --seed: see --help");
  const auto [first, last] =
      args.seed ? seed_range{*args.seed, *args.seed} : parse_range(args.seeds);
  std::vector<std::uint64_t> failed;
  seed_runner runner([&](std::uint64_t s, int to) { return run_seed(args, s, to); }, args.processes,
                     args.limit_seconds);
  runner.run(first, last, [&](const seed_result& x) {
    // What ended without a line of its own, an invariant of ours ended, or its time.
    if (args.json && !x.ok && !x.text.starts_with('{'))
      std::cout << json_of(plan_of(args, x.seed), outcome{.found = {{"ended", x.text}}}, 0) << "\n";
    else
      std::cout << x.text << std::flush;
    if (x.ok) return true;
    failed.push_back(x.seed);
    std::cerr << "FAILED: " << command_of(args, x.seed) << "\n";
    if (failed.size() == 1 && !args.json) print_trace_end(args, x.seed);
    return !args.stop_at_first;
  });
  if (!args.json && first != last)
    std::cout << last - first + 1 - failed.size() << " of " << last - first + 1 << " seeds hold\n";
  return failed.empty() ? 0 : 1;
}

int run_trace(const arguments& args) {
  if (!args.seed) throw std::invalid_argument("--trace needs one --seed");
  const auto plan = plan_of(args, *args.seed);
  const auto result = simulate(plan, [](const std::string& line) { std::cout << line << "\n"; });
  for (const auto& x : result.found)
    std::cout << "VIOLATED " << x.property << ": " << x.what << "\n";
  std::cout << line_of(plan, result, 0) << "\n";
  return result.holds() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_level(spdlog::level::off);  // what there is to say, the trace says
  arguments args;
  CLI::App app(
      "Runs whole validators in virtual time under faults from a seed, and checks what must "
      "hold.\nExample: flamingo-sim --seeds 1-200");
  auto* range = app.add_option("--seeds", args.seeds, "a range of seeds, such as 1-200");
  app.add_option("--seed", args.seed, "one seed")
      ->transform(whole_number<std::uint64_t>(0, seed_max))
      ->excludes(range);
  app.add_option("--scenario", args.recipe, "which faults come; --list names them");
  app.add_option("--validators", args.validators, "else 4 to 7, from the seed")
      ->transform(whole_number(4, 21));
  app.add_option("--time", args.seconds, "virtual seconds during which faults come")
      ->check(real_number(0.5, 3600))
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1.0}, {"ms", 0.001}}));
  app.add_flag("--trace", args.trace, "print what happens, line by line");
  app.add_flag("--twice", args.twice, "run every seed twice and compare the traces");
  app.add_flag("--json", args.json, "one line of JSON for each seed");
  app.add_flag("--stop", args.stop_at_first, "stop at the first seed that fails");
  app.add_option("--processes", args.processes, "seeds that run at a time")
      ->transform(whole_number(1, 64));
  app.add_option("--limit", args.limit_seconds, "real seconds that one seed may take")
      ->transform(whole_number(1, 86'400));
  app.add_flag("--list", args.list, "name the scenarios");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "flamingo-sim: " << e.what() << ": see --help\n";
    return 2;
  }
  try {
    if (args.list) {
      for (const auto& x : recipes()) std::cout << fmt::format("{:<14} {}\n", x.name, x.about);
      return 0;
    }
    plan_of(args, args.seed.value_or(1));  // an unknown scenario is a usage error
    return args.trace ? run_trace(args) : run_range(args);
  } catch (const std::invalid_argument& e) {
    std::cerr << "flamingo-sim: " << e.what() << "\n";
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "flamingo-sim: " << e.what() << "\n";
    return 1;
  }
}
