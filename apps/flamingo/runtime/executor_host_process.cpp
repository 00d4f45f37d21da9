#include "apps/flamingo/runtime/executor_host_process.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <caf/all.hpp>
#include <caf/io/middleman.hpp>

#include "actors/runtime/metrics.hpp"
#include "actors/validator/colleagues_actor.hpp"
#include "actors/validator/remote_host_actor.hpp"
#include "actors/validator/tls_middleman_actor.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/runtime/actor_system_settings.hpp"
#include "apps/flamingo/runtime/clock.hpp"
#include "apps/flamingo/runtime/internal_tls.hpp"
#include "apps/flamingo/runtime/metrics_server.hpp"

namespace flamingo::runtime {

namespace {

/// What executors need of a validator: no store, no key.
std::shared_ptr<environment> make_environment(const config::node_file& file, stop_signal& stop) {
  const auto committee = config::load_committee(config::beside(file.source, file.committee));
  auto env = std::make_shared<environment>();
  env->self = config::validator_named(committee.members, file.validator);
  env->members = std::make_shared<const flamingo::committee>(committee.members);
  env->protocol = committee.protocol;
  env->local = file.local;
  env->metrics = std::make_shared<metrics>(labels{{"validator", file.validator}});
  env->now = steady_unix_clock();
  env->fail = [&stop](ec why, const std::string& what) {
    stop.fail(fmt::format("{}: {}", to_string(why), what));
  };
  env->rejoin = [] {};
  return env;
}

}  // namespace

network_address place_executor_host(const config::node_file& file, const std::string& chosen) {
  const auto& hosts = file.internal.executor_hosts;
  if (hosts.empty())
    throw config::error(fmt::format(
        "{}: internal.executor_hosts: missing: expected [[internal.executor_hosts]] with the "
        "address of this host, in this file and in that of the validator's other processes",
        file.source));
  if (chosen.empty() && hosts.size() == 1) return hosts.front().address;
  std::vector<std::string> known;
  for (const auto& x : hosts) known.push_back(config::to_string(x.address));
  if (const auto at = std::find(known.begin(), known.end(), chosen); at != known.end())
    return hosts[static_cast<std::size_t>(at - known.begin())].address;
  throw config::error(
      fmt::format("--address: expected one of internal.executor_hosts of {}: {}; found {}",
                  file.source, fmt::join(known, ", "), chosen.empty() ? "none" : chosen));
}

void run_executor_host(const config::node_file& file, const network_address& at,
                       stop_signal& stop) {
  const auto env = make_environment(file, stop);
  const auto context = std::make_shared<validator::host_context>();
  actor_system_settings settings(file.runtime);
  validator::offer_executors(settings, context);
  caf::actor_system system(settings);
  context->system = &system;
  context->env = env;
  std::unique_ptr<metrics_server> metrics;
  if (!file.metrics.host.empty())
    metrics = std::make_unique<metrics_server>(file.metrics, *env->metrics);
  const auto tls = internal_tls_of(file);
  const auto directory = system.spawn(validator::directory::shell, role_handles{});
  auto remoting = system.middleman().actor_handle();
  if (tls) remoting = validator::spawn_tls_middleman(system, tls);
  const auto end = [&] {
    const stop_limit limit(std::chrono::milliseconds(4500), file.validator);
    context->end_all();
    caf::anon_send_exit(directory, caf::exit_reason::user_shutdown);
    if (tls) caf::anon_send_exit(remoting, caf::exit_reason::kill);
    system.await_all_actors_done();
  };
  try {
    validator::publish_directory(system, remoting, directory, at);
    spdlog::info("executor host of validator {} is up at {}", file.validator,
                 config::to_string(at));
    stop.wait();
  } catch (...) {
    end();
    throw;
  }
  spdlog::info("stopping");
  end();
}

}  // namespace flamingo::runtime
