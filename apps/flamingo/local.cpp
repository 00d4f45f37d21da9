// flamingo local: a whole network on this machine under load, and what it did.
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/load/rate_split.hpp"
#include "apps/flamingo/local/local_run.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/logging.hpp"

namespace flamingo::commands {

namespace {

struct options {
  local::run_plan plan;
  std::string directory, chaos, preset = "default";
  std::int64_t duration_seconds = 30;
  bool json = false, keep = false, quiet = false;
};

local::chaos chaos_of(const options& x) {
  if (x.chaos.empty()) return {};
  const auto wanted = local::parse_chaos(x.chaos);
  if (!wanted)
    throw usage_error(fmt::format(
        "--chaos: expected kinds and numbers from 1 to 1000 (kill=5, or kill=50,cut=10,pause=5), "
        "found {}",
        x.chaos));
  if (wanted->cuts > 0 && x.plan.network.validators < 2)
    throw usage_error("--chaos: cut needs two validators, and there is one (--validators)");
  return *wanted;
}

/// The directory of a run: the one that was asked for, or one of its own that goes away with it.
class run_directory {
public:
  run_directory(const std::string& wanted, bool keep) : keep_(keep || !wanted.empty()) {
    if (!wanted.empty()) {
      path_ = wanted;
      return;
    }
    std::error_code failed;
    const auto parent = std::filesystem::temp_directory_path(failed);
    if (failed)
      throw std::runtime_error(
          fmt::format("the directory that TMPDIR names cannot be used ({}): "
                      "set another, or choose one with --dir",
                      failed.message()));
    std::string name = (parent / "flamingo-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw std::runtime_error(fmt::format("{}: cannot be made ({}): choose a directory with --dir",
                                           name, std::system_category().message(errno)));
    path_ = name;
  }
  ~run_directory() {
    std::error_code ignored;
    if (!keep_) std::filesystem::remove_all(path_, ignored);
  }
  run_directory(const run_directory&) = delete;
  run_directory& operator=(const run_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  void keep() { keep_ = true; }

private:
  std::filesystem::path path_;
  bool keep_;
};

std::string summarized(const nlohmann::ordered_json& x) {
  const auto number = [](const nlohmann::ordered_json& n) {
    return n.is_number() ? fmt::format("{:.0f}", n.get<double>()) : std::string("-");
  };
  auto out = fmt::format(
      "offered {} tps, executed {} tps, latency p50 {} ms, p99 {} ms (commit p50 {} ms)\n"
      "lost {}, duplicated {}, state roots equal: {}\n"
      "CPU: {:.2f} cores, of all processes together; a validator at most: {:.0f} MiB of memory, "
      "{:.0f} MiB of store\n",
      number(x["offered_tps"]), number(x["executed_tps"]), number(x["latency_ms"]["p50"]),
      number(x["latency_ms"]["p99"]), number(x["commit_latency_ms"]["p50"]), x["lost"].dump(),
      x["duplicated"].dump(), x["state_roots_equal"].dump(), x["cpu_cores"].get<double>(),
      x["rss_anon_mib_max"].get<double>(), x["store_mib_max"].get<double>());
  for (const auto& [key, what] :
       {std::pair("never_sent", "never sent: the load ended before there was room for them"),
        std::pair("results_not_heard", "with receipts, but without a result")})
    if (x[key] != 0) out += fmt::format("{} {}\n", x[key].dump(), what);
  if (x.contains("kills"))
    out += fmt::format("{} kills, {} restarts, {} cuts, {} healed, {} pauses, {} resumed\n",
                       x["kills"].dump(), x["restarts"].dump(), x["cuts"].dump(),
                       x["healed"].dump(), x["pauses"].dump(), x["resumed"].dump());
  return out;
}

/// A terminal that goes away, or Ctrl-\ in it, is a reason to end in order, as SIGTERM is; unless
/// the caller (nohup) wants it not to be.
void end_as_by_sigterm(int signal) {
  struct sigaction before {};
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction pass {};
  pass.sa_handler = [](int) { ::kill(::getpid(), SIGTERM); };
  pass.sa_flags = SA_RESTART;
  ::sigaction(signal, &pass, nullptr);
}

local::progress::style style_of(const options& x) {
  if (x.quiet) return local::progress::style::none;
  if (::isatty(STDERR_FILENO) != 0) return local::progress::style::picture;
  return x.json ? local::progress::style::none : local::progress::style::lines;
}

/// What the options contradict is told before anything is made or started.
void check(const options& x) {
  if (const auto wrong = contradiction(x.plan.network)) throw usage_error(*wrong);
  std::vector<std::string> assignees;
  for (std::size_t i = 0; i < x.plan.network.clients; ++i)
    assignees.push_back(network_plan::validator_name(x.plan.network.assignee_of(i)));
  load::split_rate(x.plan.rate, assignees, load::parse_skew(x.plan.skew));
}

int run_local(options x, console to) {
  x.plan.faults = chaos_of(x);
  check(x);
  run_directory directory(x.directory, x.keep);
  x.plan.network.directory = directory.path();
  x.plan.length = std::chrono::seconds(x.duration_seconds);
  x.plan.shows = style_of(x);
  if (x.preset == "bare") x.plan.network.settings = network_plan::preset::bare;
  runtime::configure_logging({.level = "off", .format = {}}, "local");
  runtime::stop_signal stop;
  for (const int signal : {SIGHUP, SIGQUIT}) end_as_by_sigterm(signal);
  try {
    const auto result = local::run(x.plan, stop, to.err);
    if (x.json)
      to.out << result.line.dump() << std::endl;
    else
      to.out << summarized(result.line) << std::flush;
    if (result.complaint.empty()) return 0;
    if (result.interrupted) throw local::stopped_by_signal(result.complaint);
    throw std::runtime_error(result.complaint);
  } catch (const local::stopped_by_signal&) {
    throw;  // nothing is wrong with the files, so they go away as at a good end
  } catch (const std::exception& e) {
    directory.keep();
    throw std::runtime_error(
        fmt::format("{} (files and logs: {})", e.what(), directory.path().string()));
  }
}

}  // namespace

void add_local(CLI::App& app, action& chosen) {
  auto x = std::make_shared<options>();
  auto& network = x->plan.network;
  auto* command =
      app.add_subcommand("local", "A whole network of processes on this machine, with client load");
  // The last one counts, so that a script's arguments can be changed by appending others.
  command->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  command->add_option("--validators", network.validators, "How many validators")
      ->capture_default_str()
      ->transform(whole_number<std::size_t>(1, 100));
  command->add_option("--clients", network.clients, "How many clients")
      ->capture_default_str()
      ->transform(whole_number<std::size_t>(1, 1000));
  command->add_option("--rate", x->plan.rate, "Transactions a second, of all clients together")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(1, 100'000'000));
  command
      ->add_option("--tx-size", x->plan.transaction_bytes,
                   "Bytes of a transaction: its operation and padding")
      ->capture_default_str()
      ->transform(whole_number<std::uint32_t>(0, 4096));
  command->add_option("--duration", x->duration_seconds, "Of the load, seconds")
      ->capture_default_str()
      ->transform(whole_number<std::int64_t>(1, 1'000'000));
  command->add_option("--executors", network.local.executors, "Executors a validator")
      ->capture_default_str()
      ->transform(whole_number(1, 10));
  command->add_option("--accounts", network.protocol.accounts, "Accounts, split among the clients")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(1, accounts_max));
  command
      ->add_option("--preset", x->preset,
                   "default: mutual TLS and synced writes; bare: neither, for comparison only")
      ->capture_default_str()
      ->check(CLI::IsMember({"default", "bare"}));
  command->add_option("--skew", x->plan.skew,
                      "SHARE:VALIDATOR: this share of the load goes to that validator's clients");
  command->add_option(
      "--chaos", x->chaos,
      "kill=N,cut=N,pause=N: faults under load. N times a validator is killed with -9 "
      "and started again; two are cut off from each other for 20 s; one is stopped "
      "(SIGSTOP) for 60 s; each for less if there is no time");
  command->add_option("--seed", x->plan.seed, "Of the load and the faults")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(0));
  command->add_option("--dir", x->directory, "A new directory for the network's files, which stay");
  command->add_flag("--keep", x->keep,
                    "Keep the network's files in any case; else they stay only if the run fails");
  command->add_option("--series", x->plan.series,
                      "Write a line of CSV each second, for apps/plots/timeline.py");
  command->add_flag("--json", x->json,
                    "One line of JSON at the end, and no progress unless stderr is a terminal");
  command->add_flag("--quiet", x->quiet, "No progress on stderr");
  command->footer(
      "Example: flamingo local --validators 4 --rate 20000 --tx-size 512 --duration 30 --json");
  command->callback([x, &chosen] { chosen = [x](console to) { return run_local(*x, to); }; });
}

}  // namespace flamingo::commands
