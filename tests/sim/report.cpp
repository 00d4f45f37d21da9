#include "tests/sim/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace flamingo::sim {

namespace {

double seconds_of(duration x) {
  return std::chrono::duration<double>(x).count();
}

std::string byzantine_text(const scenario& plan) {
  std::string out;
  for (const auto& [v, kind] : plan.byzantine) out += fmt::format(" v{} {}", v.value, word(kind));
  return out.empty() ? " all honest" : out;
}

}  // namespace

std::string line_of(const scenario& plan, const outcome& x, double seconds) {
  return fmt::format(
      "seed {} {} n={}{}: {} commits, {} rounds, {} bundles, {} duplicates, {} receipts; {} "
      "crashes, "
      "{} cuts, {} executors added or removed, {} crashed, live {:.1f} s after; {:.1f} s in {:.2f} "
      "s, {} frames, trace {:016x}: {}",
      plan.world.seed, plan.name, plan.world.validators, byzantine_text(plan), x.commits, x.rounds,
      x.bundles, x.duplicates, x.receipts, x.crashes, x.cuts, x.regroups, x.executor_crashes,
      seconds_of(x.calm_to_live), seconds_of(x.virtual_time), seconds, x.frames, x.trace_hash,
      x.holds() ? "ok" : "FAILED");
}

std::string json_of(const scenario& plan, const outcome& x, double seconds) {
  nlohmann::ordered_json out;
  out["seed"] = plan.world.seed;
  out["scenario"] = plan.name;
  out["validators"] = plan.world.validators;
  for (const auto& [v, kind] : plan.byzantine)
    out["byzantine"]["v" + std::to_string(v.value)] = word(kind);
  out["commits"] = x.commits;
  out["rounds"] = x.rounds;
  out["bundles"] = x.bundles;
  out["duplicates"] = x.duplicates;
  out["receipts"] = x.receipts;
  out["crashes"] = x.crashes;
  out["cuts"] = x.cuts;
  out["regroups"] = x.regroups;
  out["executor_crashes"] = x.executor_crashes;
  out["live_after_s"] = seconds_of(x.calm_to_live);
  out["virtual_s"] = seconds_of(x.virtual_time);
  out["real_s"] = seconds;
  out["frames"] = x.frames;
  out["trace"] = fmt::format("{:016x}", x.trace_hash);
  out["violations"] = nlohmann::json::array();
  for (const auto& v : x.found)
    out["violations"].push_back({{"property", v.property}, {"what", v.what}});
  return out.dump();
}

}  // namespace flamingo::sim
