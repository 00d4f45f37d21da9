// flamingo executor: a validator's executors, one more or less while it runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/link_process.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"
#include "apps/flamingo/status/operator_call.hpp"

namespace flamingo::commands {

namespace {

struct options {
  std::string config, operator_file;
  bool json = false;
  double timeout_seconds = 30;
};

std::string place_of(const std::string& host) {
  return host.empty() ? "its own process" : host;
}

std::string to_table(const executors_report& x, const std::string& name) {
  std::string out = fmt::format(
      "{}: {} executor{} since commit {}; {} change{} so far, {} return{} "
      "to a snapshot since it started\n",
      name, x.executors, x.executors == 1 ? "" : "s", x.from.value, x.version,
      x.version == 1 ? "" : "s", x.roll_backs, x.roll_backs == 1 ? "" : "s");
  out += fmt::format("{:>8}  {:<22}  {:>9}\n", "executor", "where", "executed");
  for (const auto& one : x.list)
    out += fmt::format("{:>8}  {:<22}  {:>9}{}\n", one.id.value, place_of(one.host),
                       one.executed.value,
                       !one.ready                    ? "  starting"
                       : one.id.value >= x.executors ? "  leaving"
                                                     : "");
  for (const auto& host : x.hosts)
    out += fmt::format("host {}: {}\n", host.address, host.up ? "there" : "not reached");
  return out;
}

nlohmann::ordered_json to_json(const executors_report& x, const std::string& name) {
  nlohmann::ordered_json out;
  out["validator"] = name;
  out["executors"] = x.executors;
  out["version"] = x.version;
  out["from"] = x.from.value;
  out["roll_backs"] = x.roll_backs;
  out["list"] = nlohmann::json::array();
  for (const auto& one : x.list)
    out["list"].push_back({{"executor", one.id.value},
                           {"host", one.host},
                           {"executed", one.executed.value},
                           {"ready", one.ready}});
  out["hosts"] = nlohmann::json::array();
  for (const auto& host : x.hosts)
    out["hosts"].push_back({{"address", host.address}, {"up", host.up}});
  return out;
}

config::operator_file load_operator_of(const options& x, const config::node_file& node) {
  const auto path = x.operator_file.empty()
                        ? config::beside(node.source, "../operator/operator.toml")
                        : std::filesystem::path(x.operator_file);
  std::error_code failed;
  if (x.operator_file.empty() && !std::filesystem::exists(path, failed))
    throw std::runtime_error(
        fmt::format("{}: is not there: only an operator may see and change executors; name an "
                    "operator's file with --operator",
                    path.string()));
  return config::load_operator(path);
}

int ask(const options& x, std::int8_t change, console to) {
  using call = status::operator_call;
  const auto node = config::load_node(x.config);
  const auto file = load_operator_of(x, node);
  const auto me = config::identify(file);
  const auto& members = me.committee.members;
  const validator_id whom = config::validator_named(members, node.validator);
  const auto address = config::to_string(members.validators[whom.value].operators);
  runtime::configure_logging({.level = "off", .format = {}}, "operator");
  runtime::stop_signal stop;
  runtime::link_process process({}, config::link_settings(file.link, file.keys, file.source),
                                link::identity::of(members, {link::peer::kind::operator_, 0}), {});
  call asks(*process.doors.operators, members, whom, scale_request{change});
  const auto end =
      asks.wait(std::chrono::milliseconds(static_cast<std::int64_t>(x.timeout_seconds * 1000)));
  process.close();
  switch (end) {
    case call::end::answered:
      break;
    case call::end::refused:
      throw std::runtime_error(fmt::format("{}: {}", file.source, asks.refusal()));
    case call::end::unreachable:
      throw std::runtime_error(fmt::format("{} does not answer operators at {}: is it running?",
                                           node.validator, address));
    case call::end::silent:
      throw std::runtime_error(fmt::format(
          "{} has not {} within {} s: it does as soon as the network commits (flamingo status), "
          "and "
          "its executors are there; look with flamingo executor list",
          node.validator, change == 0 ? "answered" : "changed its executors", x.timeout_seconds));
  }
  const executors_report& report = *asks.answer();
  if (!report.problem.empty())
    throw std::runtime_error(fmt::format("{}: {}", node.validator, report.problem));
  if (x.json)
    to.out << to_json(report, node.validator).dump() << std::endl;
  else
    to.out << to_table(report, node.validator);
  return 0;
}

void add_verb(CLI::App& to, action& chosen, const std::string& name, const std::string& about,
              std::int8_t change) {
  auto x = std::make_shared<options>();
  auto* command = to.add_subcommand(name, about);
  command->add_option("--config", x->config, "The validator's file")->required();
  command->add_option("--operator", x->operator_file,
                      "An operator's file, instead of ../operator/operator.toml beside it");
  command->add_flag("--json", x->json, "One line of JSON");
  command->add_option("--timeout", x->timeout_seconds, "Wait this long for the answer, seconds")
      ->capture_default_str()
      ->check(real_number(0.1, 3600));
  command->footer("Example: flamingo executor " + name + " --config net/v0/node.toml");
  command->callback(
      [x, change, &chosen] { chosen = [x, change](console out) { return ask(*x, change, out); }; });
}

}  // namespace

void add_executor(CLI::App& app, action& chosen) {
  auto* command = app.add_subcommand(
      "executor", "Scale a running validator's executors, 1 to 10, or list them");
  command->require_subcommand(1);
  add_verb(*command, chosen, "add",
           "One more, on the executor host with the fewest, or in its own process", 1);
  add_verb(*command, chosen, "remove", "One less: the last one hands over its keys", -1);
  add_verb(*command, chosen, "list", "Who they are, where they run, and how far they are", 0);
  command->footer("Example: flamingo executor add --config net/v0/node.toml");
}

}  // namespace flamingo::commands
