// flamingo node: runs a validator, or some of its roles.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

#include "actors/validator/validator.hpp"
#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/runtime/clock.hpp"
#include "apps/flamingo/runtime/link_process.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/metrics_server.hpp"
#include "apps/flamingo/runtime/role_placement.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"
#include "apps/flamingo/runtime/store_metrics.hpp"
#include "apps/flamingo/runtime/store_owner.hpp"
#include "crypto/hex.hpp"

namespace flamingo::commands {

namespace {

/// Whoever sends SIGTERM may count on five seconds.
constexpr std::chrono::milliseconds stop_limit{4500};

struct options {
  std::string config, log_format, log_level, metrics;
  std::vector<std::string> roles{"primary", "worker", "executor"};
};

network_address either(const network_address& first, const network_address& second) {
  return first.host.empty() ? second : first;
}

validator::listen_addresses listen_addresses(const config::listen_settings& set,
                                             const validator_info& self) {
  auto out = validator::listen_addresses::advertised(self);
  out.primary = either(set.primary, out.primary);
  out.operators = either(set.operators, out.operators);
  for (std::size_t i = 0; i < set.workers.size() && i < out.workers.size(); ++i) {
    out.workers[i].peers = either(set.workers[i].peers, out.workers[i].peers);
    out.workers[i].clients = either(set.workers[i].clients, out.workers[i].clients);
  }
  return out;
}

std::shared_ptr<storage::lmdb_kv> open_store(const config::node_file& file,
                                             const config::validator_identity& me,
                                             const std::filesystem::path& directory) {
  auto settings = file.store;
  settings.directory = directory.string();
  auto store = std::make_shared<storage::lmdb_kv>(settings);
  runtime::claim_store(*store, settings.directory, me.committee.members, me.self);
  return store;
}

runtime::environment_ptr make_environment(const config::node_file& file,
                                          const config::validator_identity& me,
                                          std::shared_ptr<storage::kv> store,
                                          std::shared_ptr<runtime::metrics> metrics,
                                          runtime::stop_signal& stop) {
  auto env = std::make_shared<runtime::environment>();
  env->self = me.self;
  env->members = std::make_shared<const committee>(me.committee.members);
  env->protocol = me.committee.protocol;
  env->local = file.local;
  env->store = std::move(store);
  env->signer = me.signer;
  env->scheme = std::make_shared<crypto::ed25519_scheme>();
  env->coin = me.coin;
  env->metrics = std::move(metrics);
  env->now = runtime::steady_unix_clock();
  env->fail = [&stop](ec why, const std::string& what) {
    stop.fail(fmt::format("{}: {}", to_string(why), what));
  };
  return env;
}

std::optional<runtime::internal_tls> internal_tls_of(const config::node_file& file,
                                                     const runtime::role_placement& roles) {
  if (!roles.network || !roles.network->tls) return std::nullopt;
  const auto path = [&](const std::string& x) { return config::beside(file.source, x).string(); };
  const auto& x = file.internal;
  return runtime::internal_tls{path(x.certificate), path(x.certificate_key), path(x.authority)};
}

/// Runs until a signal or a failure. Everything that this makes ends in the reverse order: doors,
/// roles, the store's thread, the actor system.
void serve(const config::node_file& file, const config::validator_identity& me,
           const runtime::role_placement& roles, runtime::stop_signal& stop) {
  const auto& info = me.committee.members.validators[me.self.value];
  const auto store = open_store(file, me, roles.data);
  runtime::link_process process(
      file.runtime, config::link_settings(file.link, file.keys, file.source),
      link::identity::of(me.committee.members, {link::peer::kind::validator, me.self.value}),
      {{"validator", info.name}}, internal_tls_of(file, roles));
  std::unique_ptr<runtime::metrics_server> metrics;
  if (!file.metrics.host.empty()) {
    metrics = std::make_unique<runtime::metrics_server>(file.metrics, *process.metrics);
    metrics->add(std::make_shared<runtime::store_metrics>(store, info.name));
  }
  validator::node node(process.system, make_environment(file, me, store, process.metrics, stop),
                       process.doors, roles.here);
  const auto end = [&] {
    runtime::end_process_after(stop_limit, info.name);
    node.stop();
    process.close();
    process.system.await_all_actors_done();
    store->stop();
  };
  try {
    const auto doors = listen_addresses(file.listen, info);
    if (roles.network)
      node.start(doors, *roles.network, {info.workers.size(), file.local.executors});
    else
      node.start(doors);
  } catch (...) {
    end();
    throw;
  }
  spdlog::info("validator {} of chain {} is up", info.name,
               crypto::to_hex(me.committee.members.chain));
  stop.wait();
  spdlog::info("stopping");
  end();
}

int run_node(const options& x, console) {
  auto file = config::load_node(x.config);
  if (x.log_format == "json") file.log.format = config::log_settings::style::json;
  if (!x.log_level.empty()) file.log.level = x.log_level;
  if (!x.metrics.empty()) {
    const auto address = config::parse_address(x.metrics);
    if (!address) throw usage_error("--metrics: expected host:port, found " + x.metrics);
    file.metrics = *address;
  }
  runtime::configure_logging(file.log, file.validator);
  const auto me = config::identify(file);
  if (file.link.settings.tls)
    config::check_link_identity(file.keys, file.source, config::certificate_name(me.self));
  runtime::stop_signal stop;
  serve(file, me, runtime::place_roles(file, x.roles), stop);
  if (const auto failure = stop.failure())
    throw std::runtime_error(fmt::format("{}: stopped: {}", file.validator, *failure));
  spdlog::info("stopped");
  return 0;
}

}  // namespace

void add_node(CLI::App& app, action& chosen) {
  auto x = std::make_shared<options>();
  auto* command = app.add_subcommand("node", "Run a validator until SIGTERM or SIGINT");
  command->add_option("--config", x->config, "The validator's file")->required();
  command->add_option("--roles", x->roles, "The roles to run in this process")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::IsMember({"primary", "worker", "executor"}));
  command->add_option("--metrics", x->metrics,
                      "Where Prometheus scrapes this process, instead of the file's host:port");
  command->add_option("--log-format", x->log_format, "text or json, instead of the file's")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--log-level", x->log_level, "Instead of the file's")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
  command->footer("Example: flamingo node --config net/v0/node.toml");
  command->callback([x, &chosen] { chosen = [x](console to) { return run_node(*x, to); }; });
}

}  // namespace flamingo::commands
