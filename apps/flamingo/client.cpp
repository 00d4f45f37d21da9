// flamingo client: SmallBank load at a fixed rate.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/load/client_group.hpp"
#include "apps/flamingo/load/load_report.hpp"
#include "apps/flamingo/load/rate_split.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/metrics_server.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"

namespace flamingo::commands {

namespace {

using clock = std::chrono::steady_clock;

/// If no validator has answered anything by then, there is no network.
constexpr std::chrono::seconds silence_max{10};

struct options {
  std::vector<std::string> configs;
  std::uint64_t rate = 1000, seed = 1;
  std::int64_t duration_seconds = 0, every_seconds = 1;
  std::uint32_t transaction_bytes = 512;
  double hot = 0;
  std::uint64_t hot_accounts = 1;
  std::string skew;
  bool json = false, quiet = false;
};

/// A load is hotter than it says if there are fewer accounts.
void must_have_hot_accounts(const options& x, const load::member& m) {
  if (x.hot == 0) return;
  std::uint64_t owned = 0;
  for (const auto& range : m.who.committee->members.clients[m.who.self.value].accounts)
    owned += range.last.value - range.first.value;
  if (x.hot_accounts > owned)
    throw usage_error(
        fmt::format("--hot-accounts: expected at most {}, the accounts of {}, found {}", owned,
                    m.file.client, x.hot_accounts));
}

std::vector<load::member> members_of(const options& x) {
  auto members = load::load_members(x.configs);
  std::vector<std::string> assignees;
  for (const auto& m : members) {
    const auto& network = m.who.committee->members;
    assignees.push_back(network.validators[network.clients[m.who.self.value].assignee.value].name);
  }
  const auto rates = load::split_rate(x.rate, assignees, load::parse_skew(x.skew));
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto& with = members[i].with;
    with.rate = rates[i];
    if (x.duration_seconds > 0) with.run_for = std::chrono::seconds(x.duration_seconds);
    with.transaction_bytes = x.transaction_bytes;
    with.hot_per_mille = static_cast<std::uint32_t>(x.hot * 1000 + 0.5);
    with.hot_accounts = x.hot_accounts;
    must_have_hot_accounts(x, members[i]);
    with.seed = x.seed * 1'000'003 + members[i].who.self.value;
  }
  return members;
}

/// Prints counts again and again until the clients have finished.
class reporter {
public:
  reporter(const options& x, load::client_group& clients, console to)
      : options_(x), clients_(clients), to_(to) {}

  /// False if a client did not answer.
  bool report(bool last) {
    const auto all = clients_.counts(std::chrono::seconds(10));
    if (all.size() != clients_.members().size()) return false;
    const auto counts = load::merged(all);
    const auto now = clock::now();
    load::report_times when{now - start_, stopped_.value_or(now) - start_, now - last_};
    if (options_.duration_seconds > 0)
      when.load = std::min(when.load, std::chrono::duration<double>(options_.duration_seconds));
    if (options_.json)
      to_.out << load::to_json(counts, counts_, when).dump() << std::endl;
    else if (last)
      to_.out << load::to_text(counts, when) << std::flush;
    else if (!options_.quiet)
      to_.err << load::to_line(counts, counts_, when) << std::endl;
    counts_ = counts;
    last_ = now;
    return true;
  }

  /// False if no validator answered anything so far.
  bool heard() {
    const auto x = load::merged(clients_.counts(std::chrono::seconds(10)));
    return x.admitted + x.busy + x.redirected + x.invalid + x.receipts > 0;
  }

  /// From now on there is no load.
  void stopped() { stopped_ = clock::now(); }

  const client::summary& counts() const { return counts_; }

private:
  const options& options_;
  load::client_group& clients_;
  console to_;
  clock::time_point start_ = clock::now(), last_ = start_;
  std::optional<clock::time_point> stopped_;
  client::summary counts_;
};

int run_load(const options& x, console to) {
  auto members = members_of(x);
  const auto& first = members.at(0).file;
  runtime::configure_logging(first.log, members.size() == 1 ? first.client : "clients");
  runtime::stop_signal stop;
  const auto metrics_address = first.metrics;
  load::client_group clients(std::move(members));
  std::unique_ptr<runtime::metrics_server> metrics;
  if (!metrics_address.host.empty())
    metrics = std::make_unique<runtime::metrics_server>(metrics_address, *clients.metrics());
  reporter report(x, clients, to);
  // A line each `every_seconds`; without them only the last one.
  const auto every = std::chrono::seconds(x.every_seconds > 0 ? x.every_seconds : 1);
  auto next = clock::now() + every;
  auto silent_until = std::optional(clock::now() + silence_max);
  bool stopping = false, silent = false;
  std::optional<std::string> hopeless;
  while (!clients.wait_finished(std::chrono::milliseconds(20))) {
    if (stop.wait_for(std::chrono::milliseconds(0))) {
      if (stopping) break;  // a second signal does not wait for receipts
      stopping = true;
      clients.stop_load();
      report.stopped();
    }
    if ((hopeless = clients.hopeless())) break;
    if (silent_until && clock::now() >= *silent_until) {
      silent_until.reset();
      if ((silent = !report.heard())) break;
    }
    if (clock::now() < next) continue;
    next += every;
    if (x.every_seconds > 0) report.report(false);
  }
  if ((x.json || !silent) && !report.report(true))
    throw std::runtime_error("a client did not tell its counts");
  const runtime::stop_limit limit(std::chrono::seconds(5), "client");
  if (const auto why = hopeless ? hopeless : clients.refused();
      why && (hopeless || report.counts().completed == 0))
    throw std::runtime_error(*why);
  if (silent)
    throw std::runtime_error(
        fmt::format("nothing was committed: no validator answered within {} s: is the network "
                    "running? flamingo status tells",
                    silence_max.count()));
  if (report.counts().completed == 0)
    throw std::runtime_error(
        "nothing was committed: is the network running? flamingo status "
        "tells");
  const auto& counts = report.counts();
  // `outstanding` are those that were lost, and those that no validator ever admitted.
  return counts.finished && counts.outstanding == 0 && counts.duplicated == 0 ? 0 : 1;
}

}  // namespace

void add_client(CLI::App& app, action& chosen) {
  auto x = std::make_shared<options>();
  auto* command = app.add_subcommand("client", "SmallBank load at a fixed rate (open loop)");
  command->add_option("--config", x->configs, "A client's file; several: all in one process")
      ->required();
  command->add_option("--rate", x->rate, "Transactions a second, of all clients together")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(1, 100'000'000));
  command->add_option("--duration", x->duration_seconds, "Seconds; without it until SIGINT")
      ->transform(whole_number<std::int64_t>(1, 10'000'000));
  command
      ->add_option("--tx-size", x->transaction_bytes,
                   "Bytes of a transaction: its operation and padding")
      ->capture_default_str()
      ->transform(whole_number<std::uint32_t>(0, 4096));
  command->add_option("--skew", x->skew,
                      "SHARE:VALIDATOR: this share of the load goes to that validator's clients");
  command
      ->add_option("--hot", x->hot,
                   "Share of each client's load on its hot accounts, rounded to thousandths")
      ->check(real_number(0, 1));
  command->add_option("--hot-accounts", x->hot_accounts, "How many accounts of a client are hot")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(1, accounts_max));
  command->add_option("--seed", x->seed, "Of all that is drawn")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(0));
  command->add_option("--every", x->every_seconds, "Seconds between two reports; 0: only the last")
      ->capture_default_str()
      ->transform(whole_number<std::int64_t>(0, 3600));
  command->add_flag("--json", x->json, "Reports as lines of JSON on stdout");
  command->add_flag("--quiet", x->quiet, "No reports but the last");
  command->footer("Example: flamingo client --config net/c0/client.toml --rate 5000 --duration 60");
  command->callback([x, &chosen] { chosen = [x](console to) { return run_load(*x, to); }; });
}

}  // namespace flamingo::commands
