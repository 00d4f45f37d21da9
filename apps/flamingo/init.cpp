// flamingo init: makes a new network on disk.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/state_size.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"
#include "crypto/hex.hpp"

namespace flamingo::commands {

namespace {

/// Who may pay from which accounts: "c0 0 to 249, c1 250 to 499".
std::string accounts_of(const committee& members) {
  constexpr std::size_t shown_max = 8;
  std::string out;
  for (std::size_t i = 0; i < members.clients.size() && i < shown_max; ++i)
    for (const auto& range : members.clients[i].accounts)
      out += fmt::format("{}{} {} to {}", out.empty() ? "" : ", ", members.clients[i].name,
                         range.first.value, range.last.value - 1);
  if (members.clients.size() > shown_max)
    out += fmt::format(", and so on up to {}", members.clients.back().name);
  return out;
}

/// "[::1]" as "::1": a network's files put the brackets back.
std::string without_brackets(const std::string& host) {
  const bool bracketed = host.size() > 2 && host.starts_with('[') && host.ends_with(']') &&
                         host.find(':') != std::string::npos;
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

/// Hosts between commas. CLI11 would pass over those that are empty.
std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const auto& list : lists)
    for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
      end = list.find(',', at);
      out.push_back(without_brackets(list.substr(at, end - at)));
    }
  return out;
}

int init(network_plan plan, console to) {
  plan.hosts = split(plan.hosts);
  plan.listen_host = without_brackets(plan.listen_host);
  if (const auto wrong = contradiction(plan)) throw usage_error(*wrong);
  runtime::stop_signal stop;
  const auto layout =
      make_network(plan, [&stop] { return stop.wait_for(std::chrono::milliseconds(0)); });
  if (const auto large = config::large_state(plan.protocol.accounts, plan.local.executors))
    to.err << "flamingo: " << *large << std::endl;
  const auto members = config::load_committee(layout.committee()).members;
  to.out << fmt::format(
      "{}: {} validators ({} may be faulty), {} clients, chain {}\n"
      "accounts, by who may pay from them: {}\n"
      "start each validator, in a terminal of its own:\n"
      "                   flamingo node --config {}\n"
      "see how they are:  flamingo status --config {}\n"
      "then pay:          flamingo bank pay --config {} --from 0 --to 1 --cents 500\n"
      "or put load on:    flamingo client --config {} --rate 1000 --duration 10\n"
      "keep away from all machines: {} (who holds it can join the network)\n",
      layout.committee().string(), members.size(), members.faulty(), members.clients.size(),
      crypto::to_hex(members.chain), accounts_of(members), layout.node(0).string(),
      layout.operator_().string(), layout.client(0).string(), layout.client(0).string(),
      (plan.directory / "authority").string());
  return 0;
}

}  // namespace

void add_init(CLI::App& app, action& chosen) {
  auto plan = std::make_shared<network_plan>();
  auto* command = app.add_subcommand(
      "init", "Make a network: keys, certificates, coin shares, and a configuration for each node");
  command->add_option("--validators", plan->validators, "How many validators")
      ->capture_default_str()
      ->transform(whole_number<std::size_t>(1, 1000));
  command->add_option("--clients", plan->clients, "How many clients")
      ->capture_default_str()
      ->transform(whole_number<std::size_t>(1, 100'000));
  command->add_option("--dir", plan->directory, "The directory to make; never overwritten")
      ->required();
  command->add_option("--accounts", plan->protocol.accounts, "Accounts, split among the clients")
      ->capture_default_str()
      ->transform(whole_number<std::uint64_t>(1, accounts_max));
  command->add_option("--workers", plan->protocol.workers, "Dissemination workers a validator")
      ->capture_default_str()
      ->transform(whole_number(1, 16));
  command->add_option("--executors", plan->local.executors, "Executors a validator")
      ->capture_default_str()
      ->transform(whole_number(1, 10));
  command->add_option("--hosts", plan->hosts, "Advertised hosts, one for each validator in turn")
      ->capture_default_str();
  command
      ->add_option("--listen", plan->listen_host,
                   "The host to listen at, if not the advertised one (0.0.0.0: all)")
      ->check([](const std::string& x) { return x.empty() ? "expected a host" : ""; });
  command->add_option("--base-port", plan->base_port, "The first port; the next ones follow")
      ->capture_default_str()
      ->transform(whole_number(1, 65535));
  auto preset = std::make_shared<std::string>("default");
  command
      ->add_option("--preset", *preset,
                   "default: mutual TLS and synced writes; bare: neither, for comparison only")
      ->capture_default_str()
      ->check(CLI::IsMember({"default", "bare"}));
  command->footer("Example: flamingo init --validators 4 --clients 4 --dir net");
  command->callback([plan, preset, &chosen] {
    if (*preset == "bare") plan->settings = network_plan::preset::bare;
    chosen = [plan](console to) { return init(*plan, to); };
  });
}

}  // namespace flamingo::commands
