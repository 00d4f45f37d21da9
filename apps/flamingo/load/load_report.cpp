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

std::uint64_t never_sent(const client::summary& x) {
  return x.offered > x.sent ? x.offered - x.sent : 0;
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
                               const report_times& when) {
  return {{"seconds", when.since_start.count()},
          {"load_seconds", when.load.count()},
          {"recent_seconds", when.since_before.count()},
          {"offered_tps", rate(now.offered, when.load)},
          {"sent_tps", rate(now.sent, when.load)},
          {"busy_tps", rate(now.busy, when.load)},
          {"completed_tps", rate(now.completed, when.load)},
          {"latency_ms", percentiles(now.latency)},
          {"sent_latency_ms", percentiles(now.sent_latency)},
          {"offered", now.offered},
          {"sent", now.sent},
          {"never_sent", now.finished ? never_sent(now) : 0},
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
          {"results_not_heard", now.results_not_heard()},
          {"newest_commit", now.newest_commit.value},
          {"recent_offered_tps", rate(now.offered - before.offered, when.since_before)},
          {"recent_completed_tps", rate(now.completed - before.completed, when.since_before)},
          {"recent_latency_ms", percentiles(since(now.latency, before.latency))},
          {"finished", now.finished},
          {"warning", now.warning}};
}

std::string to_line(const client::summary& now, const client::summary& before,
                    const report_times& when) {
  const auto recent = since(now.latency, before.latency);
  return fmt::format(
      "{:6.1f} s  offered {:8.0f} tps  with receipts {:8.0f} tps  p50 {:6.0f} ms  "
      "p99 {:6.0f} ms  waiting {}{}{}",
      when.since_start.count(), rate(now.offered - before.offered, when.since_before),
      rate(now.completed - before.completed, when.since_before),
      milliseconds(recent.at_per_mille(500)), milliseconds(recent.at_per_mille(990)), now.waiting,
      now.warning.empty() ? "" : "  ", now.warning);
}

std::string to_text(const client::summary& x, const report_times& when) {
  auto out = fmt::format(
      "offered {} transactions ({:.0f} tps), sent {}, with receipts {} ({:.0f} tps) in {} bundles\n"
      "latency from the intended send time: p50 {:.0f} ms, p99 {:.0f} ms, max {:.0f} ms\n"
      "lost {}, duplicated {}, refused as invalid {}, answered busy {}, relayed bundles {}\n",
      x.offered, rate(x.offered, when.load), x.sent, x.completed, rate(x.completed, when.load),
      x.receipts, milliseconds(x.latency.at_per_mille(500)),
      milliseconds(x.latency.at_per_mille(990)), milliseconds(x.latency.max()), x.lost,
      x.duplicated, x.invalid, x.busy, x.relayed);
  for (std::size_t i = 0; i < x.results.size(); ++i)
    if (x.results[i] != 0)
      out += fmt::format("  {:<20} {}\n", to_string(static_cast<result_code>(i)), x.results[i]);
  if (const auto n = x.results_not_heard())
    out += fmt::format("  {:<20} {} (executed; who knows the result has not told it)\n",
                       "results not heard", n);
  if (const auto n = never_sent(x))
    out += fmt::format("never sent {}: the load ended before there was room for them\n", n);
  if (x.outstanding > 0)
    out += x.finished ? fmt::format("without receipts {}: {} of them admitted, so lost\n",
                                    x.outstanding, x.lost)
                      : fmt::format("without receipts {}: stopped before they could come\n",
                                    x.outstanding);
  return out;
}

}  // namespace flamingo::load
