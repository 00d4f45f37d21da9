// flamingo init: makes a new network on disk.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/network_plan.hpp"
#include "crypto/hex.hpp"

namespace flamingo::commands {

namespace {

int init(const network_plan& plan, console to) {
  const auto layout = make_network(plan);
  const auto members = config::load_committee(layout.committee()).members;
  to.out << fmt::format(
      "{}: {} validators ({} may be faulty), {} clients, chain {}\n"
      "start each validator:  flamingo node --config {}\n"
      "then pay:              flamingo bank pay --config {} --from 0 --to 1 --cents 500\n"
      "keep away from all machines: {} (who holds it can join the network)\n",
      layout.committee().string(), members.size(), members.faulty(), members.clients.size(),
      crypto::to_hex(members.chain), layout.node(0).string(), layout.client(0).string(),
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
      ->check(CLI::Range(1, 1000));
  command->add_option("--clients", plan->clients, "How many clients")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command->add_option("--dir", plan->directory, "The directory to make; never overwritten")
      ->required();
  command->add_option("--accounts", plan->protocol.accounts, "Accounts, split among the clients")
      ->capture_default_str();
  command->add_option("--workers", plan->protocol.workers, "Dissemination workers a validator")
      ->capture_default_str()
      ->check(CLI::Range(1, 16));
  command->add_option("--executors", plan->local.executors, "Executors a validator")
      ->capture_default_str()
      ->check(CLI::Range(1, 10));
  command->add_option("--hosts", plan->hosts, "Advertised hosts, one for each validator in turn")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--listen", plan->listen_host,
                      "The host to listen at, if not the advertised one (0.0.0.0: all)");
  command->add_option("--base-port", plan->base_port, "The first port; the next ones follow")
      ->capture_default_str()
      ->check(CLI::Range(1, 65535));
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
