// flamingo status: how each validator is.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "apps/flamingo/commands.hpp"
#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/identity.hpp"
#include "apps/flamingo/number_options.hpp"
#include "apps/flamingo/runtime/link_process.hpp"
#include "apps/flamingo/runtime/logging.hpp"
#include "apps/flamingo/runtime/stop_signal.hpp"
#include "apps/flamingo/status/status_table.hpp"

namespace flamingo::commands {

namespace {

struct options {
  std::string config;
  bool watch = false, json = false, evidence = false;
  double timeout_seconds = 3;
};

int show(const options& x, console to) {
  using namespace std::chrono;
  const auto file = config::load_operator(x.config);
  const auto me = config::identify(file);
  const auto& members = me.committee.members;
  runtime::configure_logging({.level = "off", .format = {}}, "operator");
  runtime::stop_signal stop;
  runtime::link_process process({}, config::link_settings(file.link, file.keys, file.source),
                                link::identity::of(members, {link::peer::kind::operator_, 0}), {});
  status::status_reader reader(*process.doors.operators, members);
  const milliseconds timeout(static_cast<std::int64_t>(x.timeout_seconds * 1000));
  constexpr milliseconds dial{2000}, period{1000};
  const auto ask = [&](milliseconds dial_timeout) {
    return std::pair(reader.ask(timeout, dial_timeout), steady_clock::now());
  };
  const auto any = [](const status::answers& a) {
    return std::any_of(a.begin(), a.end(), [](const auto& r) { return r.has_value(); });
  };

  const auto began = steady_clock::now();
  auto [now, asked] = ask(dial);
  // Nobody so far: the links, or the refusals, may only be slow.
  if (!any(now) && !x.watch && timeout > dial) {
    const auto left =
        std::max(milliseconds(0),
                 std::chrono::duration_cast<milliseconds>(began + timeout - steady_clock::now()));
    now = reader.ask(left, left);
  }
  const auto refused = reader.refusals().summary(members);
  if (!any(now) && !x.watch && refused)
    throw std::runtime_error(fmt::format("{}: {}", file.source, *refused));
  if (!any(now) && !x.watch)
    throw std::runtime_error(
        fmt::format("no validator of {} answered within {} s: are they running? Their operators' "
                    "addresses are in that file",
                    me.committee_path.string(), x.timeout_seconds));
  status::answers before;
  auto asked_before = asked;
  for (;;) {
    status::sample sample{std::move(before), now, asked - asked_before, {}};
    for (std::size_t i = 0; i < members.size(); ++i)
      sample.refused.push_back(reader.refusals().line_of(i).value_or(""));
    if (x.json)
      to.out << status::to_json(sample, members, x.evidence).dump() << std::endl;
    else
      to.out << (x.watch && ::isatty(STDOUT_FILENO) ? "\033[H\033[2J" : "")
             << status::to_table(sample, members)
             << (x.evidence ? status::to_evidence_table(now, members) : "") << std::flush;
    if (!x.watch || stop.wait_for(period)) break;
    before = std::move(now);
    asked_before = asked;
    std::tie(now, asked) = ask(milliseconds(0));
  }
  process.close();
  return 0;
}

}  // namespace

void add_status(CLI::App& app, action& chosen) {
  auto x = std::make_shared<options>();
  auto* command = app.add_subcommand("status", "How each validator of a network is");
  command->add_option("--config", x->config, "An operator file")->required();
  command->add_flag("--watch", x->watch, "Again each second, until stopped");
  command->add_flag("--json", x->json, "A line of JSON each time");
  command->add_flag("--evidence", x->evidence,
                    "Also each equivocation that a validator can prove: author, round and the "
                    "digests of both signed headers");
  command->add_option("--timeout", x->timeout_seconds, "Wait this long for answers, seconds")
      ->capture_default_str()
      ->check(real_number(0.1, 3600));
  command->footer("The table:\n" + status::legend() +
                  "Example: flamingo status --config net/operator/operator.toml");
  command->callback([x, &chosen] { chosen = [x](console to) { return show(*x, to); }; });
}

}  // namespace flamingo::commands
