// flamingo bench: benchmarks of parts of a validator.
#include <CLI/CLI.hpp>
#include <fstream>

#include "apps/flamingo/bench/scheduler_report.hpp"
#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/number_options.hpp"

namespace flamingo::commands {

namespace {

struct options {
  std::vector<std::string> schedulers{"static", "pilotfish", "hermes", "flamingo",
                                      "flamingo-paper"};
  std::vector<std::uint16_t> executors{1, 2, 4, 8};
  std::vector<std::string> weights{"light", "medium", "heavy"};
  std::vector<unsigned> overlaps{0, 50, 90};
  std::vector<unsigned> distributed{0, 20};
  std::uint32_t accounts = 1'000'000;
  std::size_t batches = 50;
  std::uint64_t seed = 1;
  std::string csv;
  bool json = false;
};

/// Every combination, with the one that varies fastest last.
std::vector<bench::key_set_load> loads_of(const options& x) {
  std::vector<bench::key_set_load> out;
  for (const auto& name : x.weights)
    for (const unsigned overlap : x.overlaps)
      for (const unsigned distributed : x.distributed)
        for (const std::uint16_t executors : x.executors) {
          bench::key_set_load load{.executors = executors,
                                   .overlap_percent = overlap,
                                   .distributed_percent = distributed,
                                   .seed = x.seed};
          for (const auto w : {bench::weight::light, bench::weight::medium, bench::weight::heavy})
            if (to_string(w) == name) load.transactions = w;
          out.push_back(load);
        }
  return out;
}

int run_scheduler_bench(const options& x, console to) {
  std::ofstream csv;
  if (!x.csv.empty()) {
    csv.open(x.csv);
    csv << bench::csv_head() << std::flush;
    if (!csv) throw std::runtime_error(x.csv + ": cannot be written: check the path and the disk");
  }
  if (!x.json) to.out << bench::table_head();
  for (const auto& load : loads_of(x))
    for (const auto& result : bench::measure(x.schedulers, load, x.accounts, x.batches)) {
      if (csv.is_open()) csv << bench::csv_lines(result) << std::flush;
      if (!x.json) to.out << bench::table_line(result) << std::flush;
      if (x.json)
        for (const auto& line : bench::to_json(result)) to.out << line.dump() << std::endl;
    }
  if (csv.is_open() && !csv)
    throw std::runtime_error(x.csv + ": could not be written: is its disk full?");
  return 0;
}

void add_scheduler_bench(CLI::App& app, action& chosen) {
  auto x = std::make_shared<options>();
  auto* command = app.add_subcommand(
      "scheduler",
      "Time, remote reads, balance and speed-up of schedulers, half of the load on one");
  const auto list = [command](const char* name, auto& values, const char* what) {
    return command->add_option(name, values, what)->delimiter(',')->capture_default_str();
  };
  list("--schedulers", x->schedulers, "Which")->check(CLI::IsMember(x->schedulers));
  list("--executors", x->executors, "Numbers of executors, m")
      ->transform(whole_number<std::uint16_t>(1, executor::max_executors));
  list("--weights", x->weights,
       "Accounts a transaction: light 1 (2 if distributed), medium 4, "
       "heavy 16")
      ->check(CLI::IsMember(x->weights));
  list("--overlaps", x->overlaps, "Per cent of accounts that were touched lately")
      ->transform(whole_number(0u, 100u));
  list("--distributed", x->distributed, "Per cent of transactions over two shards")
      ->transform(whole_number(0u, 100u));
  command->add_option("--accounts", x->accounts, "Accounts")
      ->capture_default_str()
      ->transform(whole_number<std::uint32_t>(10'000, 100'000'000));
  command->add_option("--batches", x->batches, "Batches of 1000 transactions for each combination")
      ->capture_default_str()
      ->transform(whole_number<std::size_t>(1, 1'000'000));
  command->add_option("--seed", x->seed, "Of the load")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(0));
  command->add_option("--csv", x->csv,
                      "Also write the results there, for apps/plots/schedulers.py");
  command->add_flag("--json", x->json, "A line of JSON for each result and cost of a remote read");
  command->footer(
      "A remote read is an account that is not at its transaction's executor. The speed-up is over "
      "one executor, as far as\nthe busiest allows it, if a remote read costs c of a transaction.\n"
      "Example: flamingo bench scheduler --weights light --overlaps 0 --executors 8 --json");
  command->callback(
      [x, &chosen] { chosen = [x](console to) { return run_scheduler_bench(*x, to); }; });
}

}  // namespace

void add_bench(CLI::App& app, action& chosen) {
  auto* bench = app.add_subcommand("bench", "Benchmarks of parts of a validator");
  bench->require_subcommand(1);
  bench->footer("Example: flamingo bench scheduler --json");
  add_scheduler_bench(*bench, chosen);
}

}  // namespace flamingo::commands
