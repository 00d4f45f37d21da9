#include "apps/flamingo/network_plan.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "apps/flamingo/new_directory.hpp"
#include "apps/flamingo/runtime/store_owner.hpp"
#include "crypto/coin.hpp"
#include "crypto/signing.hpp"
#include "crypto/tls_identity.hpp"

namespace flamingo {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t capacity_min = 1'000, capacity_max = 1'000'000;

/// Hands out the ports of a plan. Validators on the same host never share one.
class port_source {
public:
  explicit port_source(const network_plan& plan) : plan_(plan) {}

  void begin(std::size_t validator) {
    // Hosts repeat after hosts.size() validators; each repetition takes the next block.
    next_ = validator / plan_.hosts.size() * block();
    if (!plan_.ports.empty()) next_ = validator * plan_.ports_each();
  }
  std::uint16_t next() {
    const auto i = next_++;
    return plan_.ports.empty() ? static_cast<std::uint16_t>(plan_.base_port + i)
                               : plan_.ports.at(i);
  }
  /// A round number of ports, so that people can tell validators apart by them.
  std::size_t block() const { return (plan_.ports_each() + 9) / 10 * 10; }

private:
  const network_plan& plan_;
  std::size_t next_ = 0;
};

class builder {
public:
  builder(const network_plan& plan, fs::path root, const std::function<bool()>& stopped)
      : plan_(plan), root_(std::move(root)), stopped_(stopped), ports_(plan) {}

  void build() {
    const auto authority = crypto::create_authority(made("authority"));
    crypto::write_new_file(root_ / "ca.pem",
                           crypto::read_file(authority.certificate_file(), 1 << 20));
    committee_.protocol = plan_.protocol;
    for (std::size_t i = 0; i < plan_.validators; ++i) add_validator(authority, i);
    deal_coin();
    for (std::size_t i = 0; i < plan_.clients; ++i) add_client(authority, i);
    const network_layout layout{root_};
    const auto dir = made("operator");
    const auto files = crypto::issue(authority, config::operator_certificate_name, dir);
    config::operator_file op;
    name_keys(op.keys, files);
    op.link.settings.tls = !bare();
    crypto::write_new_file(layout.operator_(), config::write_operator(op));
    crypto::write_new_file(layout.committee(), config::write_committee(committee_));
  }

private:
  fs::path made(const std::string& name) {
    if (stopped_ && stopped_())
      throw config::error(
          fmt::format("{}: stopped by a signal: nothing was made", plan_.directory.string()));
    const auto dir = root_ / name;
    std::error_code failed;
    fs::create_directories(dir, failed);
    if (!failed) fs::permissions(dir, fs::perms::owner_all, failed);
    if (failed)
      throw config::error(fmt::format("{}: cannot be made ({}): choose another directory",
                                      dir.string(), failed.message()));
    return dir;
  }

  static void name_keys(config::key_files& keys, const crypto::identity_files& files) {
    keys.certificate = files.certificate.filename().string();
    keys.certificate_key = files.private_key.filename().string();
  }

  network_address listening(const network_address& advertised) const {
    return plan_.listen_host.empty() ? network_address{}
                                     : network_address{plan_.listen_host, advertised.port};
  }

  void add_validator(const crypto::authority& authority, std::size_t i) {
    const auto name = network_plan::validator_name(i);
    const auto dir = made(name);
    const auto& host = plan_.hosts[i % plan_.hosts.size()];
    ports_.begin(i);
    validator_info v;
    v.name = name;
    v.capacity_min = capacity_min;
    v.capacity_max = capacity_max;
    v.primary = {host, ports_.next()};
    v.operators = {host, ports_.next()};
    config::node_file node;
    node.validator = name;
    runtime::mark_never_run(dir / node.data);
    node.metrics = {plan_.listen_host.empty() ? "127.0.0.1" : plan_.listen_host, ports_.next()};
    for (std::size_t w = 0; w < plan_.protocol.workers; ++w) {
      v.workers.emplace_back();
      v.workers.back().peers = {host, ports_.next()};
      v.workers.back().clients = {host, ports_.next()};
    }
    if (!plan_.listen_host.empty()) {
      node.listen.primary = listening(v.primary);
      node.listen.operators = listening(v.operators);
      for (const auto& w : v.workers)
        node.listen.workers.push_back({listening(w.peers), listening(w.clients)});
    }
    const auto key = crypto::ed25519_signer::generate();
    key.save(dir / node.keys.signing);
    v.key = key.key();
    name_keys(node.keys, crypto::issue(authority, config::certificate_name(validator(i)), dir));
    apply_settings(node);
    crypto::write_new_file(network_layout{root_}.node(i), config::write_node(node));
    committee_.members.validators.push_back(std::move(v));
  }

  bool bare() const { return plan_.settings == network_plan::preset::bare; }

  void apply_settings(config::node_file& node) const {
    node.local = plan_.local;
    node.log.level = plan_.log_level;
    if (plan_.store_bytes_max != 0) node.store.store_bytes_max = plan_.store_bytes_max;
    if (plan_.preallocate_bytes != 0) node.store.preallocate_bytes = plan_.preallocate_bytes;
    if (bare()) node.store.sync = storage::sync_mode::os;
    node.link.settings.tls = !bare();
  }

  void deal_coin() {
    auto& validators = committee_.members.validators;
    const auto deal = crypto::deal(validators.size(), committee_.members.faulty());
    for (std::size_t i = 0; i < validators.size(); ++i) {
      validators[i].coin_key = deal.keys[i];
      crypto::save_coin_secret(root_ / validators[i].name / config::node_file{}.keys.coin,
                               deal.secrets[i]);
    }
  }

  void add_client(const crypto::authority& authority, std::size_t i) {
    const auto name = fmt::format("c{}", i);
    const auto dir = made(name);
    client_info c;
    c.name = name;
    const auto accounts = plan_.protocol.accounts;
    c.accounts = {{account_id(share(accounts, i)), account_id(share(accounts, i + 1))}};
    c.assignee = validator(plan_.assignee_of(i));
    config::client_file file;
    file.client = name;
    file.link.settings.tls = !bare();
    file.load.transactions_per_bundle =
        std::min(file.load.transactions_per_bundle, plan_.protocol.max_transactions_per_bundle);
    const auto key = crypto::ed25519_signer::generate();
    key.save(dir / file.keys.signing);
    c.key = key.key();
    name_keys(file.keys, crypto::issue(authority, config::certificate_name(client(i)), dir));
    crypto::write_new_file(network_layout{root_}.client(i), config::write_client(file));
    committee_.members.clients.push_back(std::move(c));
  }

  /// Where client i's accounts start: shares differ by one account at most.
  std::uint64_t share(std::uint64_t accounts, std::size_t i) const {
    const std::uint64_t each = accounts / plan_.clients, rest = accounts % plan_.clients;
    return each * i + std::min<std::uint64_t>(i, rest);
  }

  static validator_id validator(std::size_t i) {
    return validator_id(static_cast<std::uint16_t>(i));
  }
  static client_id client(std::size_t i) { return client_id(static_cast<std::uint32_t>(i)); }

  const network_plan& plan_;
  const fs::path root_;
  const std::function<bool()>& stopped_;
  port_source ports_;
  config::committee_file committee_;
};

// -- what options contradict

/// What is wrong with a host's name or address; nothing if it can be one.
std::optional<std::string> wrong_host(const std::string& host) {
  constexpr std::size_t longest = 253;
  in_addr four;
  in6_addr six;
  if (host.empty()) return "is empty";
  if (host.find(':') != std::string::npos)
    return ::inet_pton(AF_INET6, host.c_str(), &six) == 1
               ? std::nullopt
               : std::optional<std::string>(
                     "holds a colon and is no IPv6 address: name the host "
                     "alone, since ports come from --base-port");
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (host.size() > longest || !std::all_of(host.begin(), host.end(), plain))
    return "is no name or address of a host";
  if (host.find_first_not_of("0123456789.") == std::string::npos &&
      ::inet_pton(AF_INET, host.c_str(), &four) != 1)
    return "is no IPv4 address";
  return std::nullopt;
}

std::optional<std::string> wrong_hosts(const network_plan& plan) {
  std::set<std::string> seen;
  for (const auto& host : plan.hosts) {
    if (const auto wrong = wrong_host(host))
      return fmt::format("--hosts: {} {}", config::toml_string(host), *wrong);
    if (host == "0.0.0.0" || host == "::")
      return fmt::format("--hosts: nobody can connect to {}: name it with --listen", host);
    if (!seen.insert(host).second)
      return fmt::format("--hosts: {} is there twice: name it once, validators take turns", host);
  }
  if (plan.hosts.empty()) return "--hosts: expected at least one";
  if (plan.listen_host.empty()) return std::nullopt;
  if (const auto wrong = wrong_host(plan.listen_host))
    return fmt::format("--listen: {} {}", config::toml_string(plan.listen_host), *wrong);
  return std::nullopt;
}

}  // namespace

fs::path network_layout::node(std::size_t i) const {
  return directory / fmt::format("v{}", i) / "node.toml";
}
fs::path network_layout::client(std::size_t i) const {
  return directory / fmt::format("c{}", i) / "client.toml";
}

std::string network_plan::validator_name(std::size_t i) {
  return fmt::format("v{}", i);
}

std::optional<std::string> contradiction(const network_plan& plan) {
  if (plan.validators < 1 || plan.validators > 1000)
    return fmt::format("--validators: expected 1 to 1000, found {}", plan.validators);
  if (plan.clients < 1 || plan.clients > 100'000)
    return fmt::format("--clients: expected 1 to 100000, found {}", plan.clients);
  const auto accounts = plan.protocol.accounts;
  if (accounts < plan.clients)
    return fmt::format("--accounts: expected at least one for each of {} clients, found {}",
                       plan.clients, accounts);
  if (accounts > accounts_max)
    return fmt::format("--accounts: expected at most {}, found {}", accounts_max, accounts);
  if (auto wrong = wrong_hosts(plan)) return wrong;
  if (!plan.ports.empty()) return std::nullopt;
  const auto blocks = (plan.validators + plan.hosts.size() - 1) / plan.hosts.size();
  const auto last = plan.base_port + blocks * port_source(plan).block() - 1;
  if (last > std::numeric_limits<std::uint16_t>::max())
    return fmt::format(
        "--base-port: expected room for all ports below 65536, found {} to {}: "
        "choose a lower one",
        plan.base_port, last);
  return std::nullopt;
}

network_layout make_network(const network_plan& plan, const std::function<bool()>& stopped) {
  if (const auto wrong = contradiction(plan)) throw config::error(*wrong);
  new_directory fresh(plan.directory);
  builder(plan, fresh.path(), stopped).build();
  fresh.put_in_place();
  return {plan.directory};
}

}  // namespace flamingo
