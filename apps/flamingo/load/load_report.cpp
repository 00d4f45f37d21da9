#include "apps/flamingo/load/load_report.hpp"

#include <fmt/format.h>

namespace flamingo::load {

namespace {

double milliseconds(std::chrono::microseconds x) {
  return static_cast<double>(x.count()) / 1000;
}

double rate(std::uint64_t count, std::chrono::duration<double> length) {
  return length.count() > 0 ? static_cast<double>(count) / length.count() : 0;
}

nlohmann::ordered_json percentiles(const client::latency_histogram& x) {
  return {{"p50", milliseconds(x.at_per_mille(500))},
          {"p99", milliseconds(x.at_per_mille(990))},
          {"max", milliseconds(x.max())}};
}

nlohmann::ordered_json results(const client::summary& x) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < x.results.size(); ++i)
    if (x.results[i] != 0) out[std::string(to_string(static_cast<result_code>(i)))] = x.results[i];
  return out;
}

}  // namespace

client::latency_histogram since(const client::latency_histogram& now,
                                const client::latency_histogram& earlier) {
  auto counts = now.counts();
  for (std::size_t i = 0; i < counts.size() && i < earlier.counts().size(); ++i)
    counts[i] -= std::min(counts[i], earlier.counts()[i]);
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  return client::latency_histogram::from(std::move(counts), now.max(), now.sum() - earlier.sum());
}

nlohmann::ordered_json to_json(const client::summary& now, const client::summary& before,
                               std::chrono::duration<double> length,
                               std::chrono::duration<double> since_before) {
  return {{"seconds", length.count()},
          {"offered_tps", rate(now.offered, length)},
          {"sent_tps", rate(now.sent, length)},
          {"busy_tps", rate(now.busy, length)},
          {"completed_tps", rate(now.completed, length)},
          {"latency_ms", percentiles(now.latency)},
          {"sent_latency_ms", percentiles(now.sent_latency)},
          {"offered", now.offered},
          {"sent", now.sent},
          {"admitted", now.admitted},
          {"completed", now.completed},
          {"waiting", now.waiting},
          {"outstanding", now.outstanding},
          {"lost", now.lost},
          {"duplicated", now.duplicated},
          {"invalid", now.invalid},
          {"bundles", now.bundles},
          {"receipts", now.receipts},
          {"resent", now.resent},
          {"relayed", now.relayed},
          {"redirected", now.redirected},
          {"resequenced", now.resequenced},
          {"forged", now.forged},
          {"results", results(now)},
          {"newest_commit", now.newest_commit.value},
          {"recent_offered_tps", rate(now.offered - before.offered, since_before)},
          {"recent_completed_tps", rate(now.completed - before.completed, since_before)},
          {"recent_latency_ms", percentiles(since(now.latency, before.latency))},
          {"finished", now.finished},
          {"warning", now.warning}};
}

std::string to_line(const client::summary& now, const client::summary& before,
                    std::chrono::duration<double> length,
                    std::chrono::duration<double> since_before) {
  const auto recent = since(now.latency, before.latency);
  return fmt::format(
      "{:6.1f} s  offered {:8.0f} tps  with receipts {:8.0f} tps  p50 {:6.0f} ms  "
      "p99 {:6.0f} ms  waiting {}{}{}",
      length.count(), rate(now.offered - before.offered, since_before),
      rate(now.completed - before.completed, since_before), milliseconds(recent.at_per_mille(500)),
      milliseconds(recent.at_per_mille(990)), now.waiting, now.warning.empty() ? "" : "  ",
      now.warning);
}

std::string to_text(const client::summary& x, std::chrono::duration<double> length) {
  auto out = fmt::format(
      "offered {} transactions ({:.0f} tps), sent {}, with receipts {} ({:.0f} tps) in {} bundles\n"
      "latency from the intended send time: p50 {:.0f} ms, p99 {:.0f} ms, max {:.0f} ms\n"
      "lost {}, duplicated {}, refused as invalid {}, answered busy {}, relayed bundles {}\n",
      x.offered, rate(x.offered, length), x.sent, x.completed, rate(x.completed, length),
      x.receipts, milliseconds(x.latency.at_per_mille(500)),
      milliseconds(x.latency.at_per_mille(990)), milliseconds(x.latency.max()), x.lost,
      x.duplicated, x.invalid, x.busy, x.relayed);
  for (std::size_t i = 0; i < x.results.size(); ++i)
    if (x.results[i] != 0)
      out += fmt::format("  {:<20} {}\n", to_string(static_cast<result_code>(i)), x.results[i]);
  return out;
}

}  // namespace flamingo::load
