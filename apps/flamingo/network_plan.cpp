#include "apps/flamingo/network_plan.hpp"

#include <fmt/format.h>

#include <limits>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/node_file.hpp"
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
  explicit builder(const network_plan& plan) : plan_(plan), ports_(plan) {}

  network_layout build() {
    const auto authority = crypto::create_authority(made("authority"));
    crypto::write_new_file(plan_.directory / "ca.pem",
                           crypto::read_file(authority.certificate_file(), 1 << 20));
    committee_.protocol = plan_.protocol;
    for (std::size_t i = 0; i < plan_.validators; ++i) add_validator(authority, i);
    deal_coin();
    for (std::size_t i = 0; i < plan_.clients; ++i) add_client(authority, i);
    const network_layout layout{plan_.directory};
    const auto dir = made("operator");
    const auto files = crypto::issue(authority, config::operator_certificate_name, dir);
    config::operator_file op;
    name_keys(op.keys, files);
    op.link.settings.tls = !bare();
    crypto::write_new_file(layout.operator_(), config::write_operator(op));
    crypto::write_new_file(layout.committee(), config::write_committee(committee_));
    return layout;
  }

private:
  fs::path made(const std::string& name) {
    const auto dir = plan_.directory / name;
    fs::create_directories(dir);
    fs::permissions(dir, fs::perms::owner_all);
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
    const auto name = fmt::format("v{}", i);
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
    crypto::write_new_file(network_layout{plan_.directory}.node(i), config::write_node(node));
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
      crypto::save_coin_secret(plan_.directory / validators[i].name / config::node_file{}.keys.coin,
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
    c.assignee = validator(i % plan_.validators);
    config::client_file file;
    file.client = name;
    file.link.settings.tls = !bare();
    const auto key = crypto::ed25519_signer::generate();
    key.save(dir / file.keys.signing);
    c.key = key.key();
    name_keys(file.keys, crypto::issue(authority, config::certificate_name(client(i)), dir));
    crypto::write_new_file(network_layout{plan_.directory}.client(i), config::write_client(file));
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
  port_source ports_;
  config::committee_file committee_;
};

void check(const network_plan& plan) {
  const auto need = [&](bool ok, const std::string& what) {
    if (!ok) throw config::error(what);
  };
  need(plan.validators >= 1 && plan.validators <= 1000, "validators: expected 1 to 1000");
  need(plan.clients >= 1 && plan.clients <= 100'000, "clients: expected 1 to 100000");
  need(plan.protocol.accounts >= plan.clients,
       fmt::format("accounts: expected at least one for each of {} clients, found {}", plan.clients,
                   plan.protocol.accounts));
  need(
      plan.protocol.accounts <= accounts_max,
      fmt::format("accounts: expected at most {}, found {}", accounts_max, plan.protocol.accounts));
  const auto blocks = (plan.validators + plan.hosts.size() - 1) / plan.hosts.size();
  const auto last = plan.base_port + blocks * port_source(plan).block() - 1;
  need(!plan.ports.empty() || last <= std::numeric_limits<std::uint16_t>::max(),
       fmt::format("base port: expected room for all ports below 65536, found {} to {}: choose a "
                   "lower one",
                   plan.base_port, last));
  if (fs::exists(plan.directory) &&
      (!fs::is_directory(plan.directory) || !fs::is_empty(plan.directory)))
    throw config::error(
        fmt::format("{}: exists and is not an empty directory: choose another, or "
                    "remove it (its keys cannot be made again)",
                    plan.directory.string()));
}

}  // namespace

fs::path network_layout::node(std::size_t i) const {
  return directory / fmt::format("v{}", i) / "node.toml";
}
fs::path network_layout::client(std::size_t i) const {
  return directory / fmt::format("c{}", i) / "client.toml";
}

network_layout make_network(const network_plan& plan) {
  check(plan);
  try {
    const bool existed = fs::exists(plan.directory);
    fs::create_directories(plan.directory);
    try {
      return builder(plan).build();
    } catch (...) {
      // The directory was empty: all that is in it is ours.
      for (const auto& x : fs::directory_iterator(plan.directory)) fs::remove_all(x.path());
      if (!existed) fs::remove(plan.directory);
      throw;
    }
  } catch (const fs::filesystem_error& e) {
    throw config::error(
        fmt::format("{}: cannot be written: {}", plan.directory.string(), e.code().message()));
  }
}

}  // namespace flamingo
