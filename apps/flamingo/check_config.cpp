// flamingo check-config: reads a configuration file and all that it names, and says what is wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/file_kind.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/samples.hpp"
#include "apps/flamingo/config/state_size.hpp"
#include "apps/flamingo/config/toml_text.hpp"
#include "crypto/hex.hpp"

namespace flamingo::commands {

namespace {

std::string described(const committee& members) {
  return fmt::format("{} validators ({} may be faulty), {} clients, epoch {}, chain {}",
                     members.size(), members.faulty(), members.clients.size(), members.epoch.value,
                     crypto::to_hex(members.chain));
}

/// What is good, and what is worth a line nevertheless.
struct finding {
  std::string good;
  std::optional<std::string> large = {};
};

finding check(const std::filesystem::path& file) {
  const auto name = file.string();
  const auto text = config::read_bytes(file);
  if (config::parse_toml(text, name).empty())
    throw config::error(name +
                        ": holds no key: expected at least what says whose file it is: validator, "
                        "client, committee (an operator's), or a committee's validators");
  // What is of no kind is read as an operator's, to say what is wrong with it.
  switch (config::kind_of(text).value_or(config::file_kind::operator_)) {
    case config::file_kind::committee: {
      const auto committee = config::parse_committee(text, name);
      return {described(committee.members),
              config::large_state(committee.protocol.accounts, local_parameters{}.executors)};
    }
    case config::file_kind::node: {
      const auto node = config::parse_node(text, name);
      const auto identity = config::identify(node);
      config::check_link_identity(node.keys, file, config::certificate_name(identity.self));
      config::check_internal_identity(node);
      return {fmt::format("validator {}; {}: {}", node.validator, identity.committee_path.string(),
                          described(identity.committee.members)),
              config::large_state(identity.committee.protocol.accounts, node.local.executors)};
    }
    case config::file_kind::client: {
      const auto client = config::parse_client(text, name);
      const auto identity = config::identify(client);
      config::check_link_identity(client.keys, file, config::certificate_name(identity.self));
      return {fmt::format("client {}; {}: {}", client.client, identity.committee_path.string(),
                          described(identity.committee->members))};
    }
    case config::file_kind::operator_: {
      const auto op = config::parse_operator(text, name);
      const auto identity = config::identify(op);
      config::check_link_identity(op.keys, file, config::operator_certificate_name);
      return {fmt::format("operator; {}: {}", identity.committee_path.string(),
                          described(identity.committee.members))};
    }
  }
  throw config::error(name + ": is no configuration file");
}

int print_sample(const std::string& kind, console to) {
  for (const auto& sample : config::samples())
    if (sample.kind == kind) to.out << sample.text;
  return 0;
}

int check(const std::string& file, console to) {
  if (file.empty()) throw usage_error("check-config: expected a file: see --help");
  const auto found = check(std::filesystem::path(file));
  to.out << file << ": good: " << found.good << "\n";
  if (found.large) to.err << "flamingo: " << file << ": " << *found.large << "\n";
  return 0;
}

}  // namespace

void add_check_config(CLI::App& app, action& chosen) {
  auto file = std::make_shared<std::string>(), kind = std::make_shared<std::string>();
  auto* command = app.add_subcommand(
      "check-config", "Check a configuration file and the keys and certificates that it names");
  std::vector<std::string> kinds;
  for (const auto& sample : config::samples()) kinds.push_back(sample.kind);
  command->add_option("file", *file, "A committee, node, client or operator file");
  command->add_option("--sample", *kind, "Print a documented sample of this kind instead")
      ->check(CLI::IsMember(kinds));
  command->footer("Example: flamingo check-config net/v0/node.toml");
  command->callback([=, &chosen] {
    chosen = [=](console to) { return kind->empty() ? check(*file, to) : print_sample(*kind, to); };
  });
}

}  // namespace flamingo::commands
