// flamingo node: runs a validator, or some of its roles.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>

#include <CLI/CLI.hpp>

#include "actors/validator/joining.hpp"
#include "actors/validator/validator.hpp"
#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/runtime/clock.hpp"
#include "apps/flamingo/runtime/executor_host_process.hpp"
#include "apps/flamingo/runtime/internal_tls.hpp"
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

constexpr auto only_in_one_process =
    "to fetch a checkpoint from the others this validator needs all its roles in one process: "
    "remove "
    "the stores of all its roles, start it without --roles, and leave it so";

struct options {
  std::string config, log_format, log_level, metrics, address;
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

/// Opens the store and makes sure whose it is. One that is empty, though this validator has run
/// before, stands as lost from the start.
std::shared_ptr<storage::lmdb_kv> open_store(const config::node_file& file,
                                             const config::validator_identity& me,
                                             const runtime::role_placement& roles) {
  auto settings = file.store;
  settings.directory = roles.data.string();
  auto store = std::make_shared<storage::lmdb_kv>(settings);
  const auto data = config::beside(file.source, file.data);
  storage::write_batch when_empty;
  if (roles.here.primary && !runtime::never_ran(data))
    joiner::put_standing(when_empty, {.lost = true});
  runtime::claim_store(*store, settings.directory, me.committee.members, me.self,
                       std::move(when_empty));
  if (roles.here.primary) runtime::unmark_never_run(data);
  return store;
}

/// What a validator needs to run, and what became of it.
struct run {
  const config::node_file& file;
  const config::validator_identity& me;
  const runtime::role_placement& roles;
  std::shared_ptr<storage::lmdb_kv> store;
  runtime::stop_signal& stop;
  config::link_section link;        // the file's, or what SIGHUP made of it
  std::atomic<bool> rejoin{false};  // a role asked for a checkpoint

  const validator_info& info() const { return me.committee.members.validators[me.self.value]; }
};

/// SIGHUP: what links pretend to be is read anew. A file that is wrong changes nothing.
void read_emulation(run& x, link::emulation_switch& into) {
  try {
    auto link = config::load_node(x.file.source).link;
    const auto settings = config::link_settings(link, x.file.keys, x.file.source);
    config::check_emulated(link, x.file.source, x.me.committee.members, x.me.committee_path);
    x.link.settings.emulate = link.settings.emulate;
    x.link.emulate_to = std::move(link.emulate_to);
    into.set(settings.emulate);
    spdlog::info("SIGHUP: emulation of links is as {} says now", x.file.source);
  } catch (const std::exception& e) {
    spdlog::error("SIGHUP: nothing is changed: {}", e.what());
  }
}

/// The links, metrics and environment of one phase, joining or running. Ends in the reverse order.
struct phase {
  explicit phase(run& x)
      : process(x.file.runtime, config::link_settings(x.link, x.file.keys, x.file.source),
                link::identity::of(x.me.committee.members,
                                   {link::peer::kind::validator, x.me.self.value}),
                {{"validator", x.info().name}}),
        env(std::make_shared<runtime::environment>()) {
    if (!x.file.metrics.host.empty()) {
      metrics = std::make_unique<runtime::metrics_server>(x.file.metrics, *process.metrics);
      metrics->add(std::make_shared<runtime::store_metrics>(x.store, x.info().name));
    }
    env->self = x.me.self;
    env->members = std::make_shared<const committee>(x.me.committee.members);
    env->protocol = x.me.committee.protocol;
    env->local = x.file.local;
    env->store = x.store;
    env->signer = x.me.signer;
    env->scheme = std::make_shared<crypto::ed25519_scheme>();
    env->coin = x.me.coin;
    env->metrics = process.metrics;
    env->now = runtime::steady_unix_clock();
    env->fail = [&x](ec why, const std::string& what) {
      x.stop.fail(fmt::format("{}: {}", to_string(why), what));
    };
    env->rejoin = [&x] {
      // What is missing may be away with the process of another role: no reason to stop this one.
      if (x.roles.network) return spdlog::error("left behind, perhaps: {}", only_in_one_process);
      x.rejoin = true;
      x.stop.interrupt();
    };
    x.stop.on_hangup([&x, emulation = process.doors.emulation] { read_emulation(x, *emulation); });
  }

  void end() {
    process.close();
    process.system.await_all_actors_done();
  }

  runtime::link_process process;
  std::unique_ptr<runtime::metrics_server> metrics;
  std::shared_ptr<runtime::environment> env;
};

/// Fills the store from the others'. @returns whether it is as the roles need it; if not, the node
/// is to stop.
bool join(run& x, const joiner::standing& stands) {
  if (const auto why = validator::cannot_join(x.me.committee.members, stands))
    throw std::runtime_error(fmt::format("{}: {}", x.roles.data.string(), *why));
  if (x.roles.network)
    throw std::runtime_error(fmt::format("{}: {}", x.roles.data.string(), only_in_one_process));
  if (stands.lost)
    spdlog::warn(
        "the store in {} is empty, and this validator may have signed before: asking {} others "
        "where they are (a network that has never run: flamingo init makes a file never-run there)",
        x.roles.data.string(), x.me.committee.members.quorum());
  phase joins(x);
  std::atomic<bool> joined{false};
  validator::joining joining(joins.process.system, joins.env, joins.process.doors, stands, [&] {
    joined = true;
    x.stop.interrupt();
  });
  const auto end = [&] {
    const runtime::stop_limit limit(stop_limit, x.info().name);
    joining.stop();
    joins.end();
  };
  try {
    joining.start(listen_addresses(x.file.listen, x.info()).primary);
    x.stop.wait();
  } catch (...) {
    end();
    throw;
  }
  end();
  return joined && !x.stop.failure();
}

/// "worker and executor of " where a process has not all roles; nothing where it has.
std::string described(const runtime::role_placement& x) {
  if (!x.network) return {};
  std::vector<std::string_view> names;
  if (x.here.primary) names.push_back("primary");
  if (x.here.worker) names.push_back("worker");
  if (x.here.executor) names.push_back("executor");
  return fmt::format("{} of ", fmt::join(names, " and "));
}

/// Runs the roles until a signal, a failure, or until one of them asks for a checkpoint.
void serve(run& x) {
  phase runs(x);
  validator::node node(runs.process.system, runs.env, runs.process.doors, x.roles.here);
  const auto end = [&] {
    const runtime::stop_limit limit(stop_limit, x.info().name);
    node.stop();
    runs.end();
  };
  try {
    const auto doors = listen_addresses(x.file.listen, x.info());
    std::vector<network_address> hosts;
    for (const auto& host : x.file.internal.executor_hosts) hosts.push_back(host.address);
    node.find_executor_hosts(hosts, runtime::internal_tls_of(x.file));
    if (x.roles.network)
      node.start(doors, *x.roles.network);
    else
      node.start(doors);
  } catch (...) {
    end();
    throw;
  }
  spdlog::info("{}validator {} of chain {} is up", described(x.roles), x.info().name,
               crypto::to_hex(x.me.committee.members.chain));
  x.stop.wait();
  spdlog::info(x.rejoin ? "left behind: others may not keep what comes next; fetching a checkpoint"
                        : "stopping");
  end();
}

/// Joins if it must, then runs, and so on until it is to stop.
void live(run& x) {
  auto stands = joiner::read_standing(*x.store);
  for (bool must_join = stands.joins();; must_join = true) {
    if (must_join && !join(x, stands)) break;
    x.rejoin = false;
    serve(x);
    if (!x.rejoin || x.stop.failure() || x.stop.signalled()) break;
    stands = {};
  }
  const runtime::stop_limit limit(stop_limit, x.info().name);
  x.store->stop();
}

bool is_executor_host(const options& x) {
  const bool asked = std::count(x.roles.begin(), x.roles.end(), "executor-host") > 0;
  if (asked && x.roles.size() > 1)
    throw usage_error(
        "--roles: executor-host is a process of its own: expected no other role beside it (a "
        "process with the role executor runs executors without it)");
  if (!asked && !x.address.empty())
    throw usage_error("--address: only `--roles executor-host` takes it");
  return asked;
}

int run_host(const config::node_file& file, const std::string& address) {
  runtime::stop_signal stop;
  runtime::run_executor_host(file, runtime::place_executor_host(file, address), stop);
  if (const auto failure = stop.failure())
    throw std::runtime_error(
        fmt::format("executor host of {}: stopped: {}", file.validator, *failure));
  spdlog::info("stopped");
  return 0;
}

int run_node(const options& x, console) {
  auto file = config::load_node(x.config);
  if (x.log_format == "json") file.log.format = config::log_settings::style::json;
  if (!x.log_level.empty()) file.log.level = x.log_level;
  if (!x.metrics.empty()) {
    const auto address = config::parse_address(x.metrics);
    if (!address || address->port == 0)
      throw usage_error("--metrics: expected host:port with a port from 1 to 65535, found " +
                        config::toml_string(x.metrics));
    file.metrics = *address;
  }
  runtime::configure_logging(file.log, file.validator);
  if (is_executor_host(x)) return run_host(file, x.address);
  const auto me = config::identify(file);
  if (file.link.settings.tls)
    config::check_link_identity(file.keys, file.source, config::certificate_name(me.self));
  runtime::stop_signal stop(runtime::stop_signal::hangup::taken);
  auto roles = runtime::place_roles(file, x.roles);
  if (roles.network) roles.network->tls = runtime::internal_tls_of(file);
  run all{file, me, roles, open_store(file, me, roles), stop, file.link};
  live(all);
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
      ->check(CLI::IsMember({"primary", "worker", "executor", "executor-host"}));
  command->add_option("--address", x->address,
                      "Of an executor host: which of [[internal.executor_hosts]] it is");
  command->add_option("--metrics", x->metrics,
                      "Where Prometheus scrapes this process, instead of the file's host:port");
  command->add_option("--log-format", x->log_format, "text or json, instead of the file's")
      ->check(CLI::IsMember({"text", "json"}));
  command->add_option("--log-level", x->log_level, "Instead of the file's")
      ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}));
  command->footer(
      "SIGHUP reads what links pretend to be ([link.emulation], [[link.emulation_to]]) anew from "
      "the "
      "file; links that are up notice only `cut`.\n"
      "Example: flamingo node --config net/v0/node.toml\n"
      "         flamingo node --config net/v0/node.toml --roles executor-host --metrics "
      "127.0.0.1:9104");
  command->callback([x, &chosen] { chosen = [x](console to) { return run_node(*x, to); }; });
}

}  // namespace flamingo::commands
