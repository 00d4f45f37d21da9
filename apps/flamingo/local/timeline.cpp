#include "apps/flamingo/local/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace flamingo::local {

namespace {

/// The largest growth of a count among validators that answered twice, a second.
template <class Count>
double fastest(const status::sample& x, Count count) {
  double out = 0;
  for (std::size_t i = 0; i < x.after.size() && i < x.before.size(); ++i) {
    if (!x.before[i] || !x.after[i] || x.between.count() <= 0) continue;
    const auto before = count(*x.before[i]), after = count(*x.after[i]);
    if (after > before)
      out = std::max(out, static_cast<double>(after - before) / x.between.count());
  }
  return out;
}

}  // namespace

bool covers_load(const nlohmann::json& load) {
  const double end = load.at("seconds"), length = load.at("recent_seconds");
  return length >= 0.5 && end - length / 2 < load.at("load_seconds").get<double>();
}

second second_of(const status::sample& x, const nlohmann::json& load, std::string event) {
  second out;
  out.at = load.at("seconds");
  out.offered_tps = load.at("recent_offered_tps");
  out.completed_tps = load.at("recent_completed_tps");
  out.latency_p50_ms = load.at("recent_latency_ms").at("p50");
  out.latency_p99_ms = load.at("recent_latency_ms").at("p99");
  out.committed_tps = fastest(x, [](const status_report& r) { return r.committed_transactions; });
  out.executed_tps = fastest(x, [](const status_report& r) { return r.executed_transactions; });
  for (std::size_t i = 0; i < x.after.size(); ++i) {
    out.queue_ms.emplace_back();
    if (!x.after[i] || i >= x.after[i]->queue_delays.size()) continue;
    if (const auto delay = x.after[i]->queue_delays[i])
      out.queue_ms.back() = static_cast<double>(delay->count()) / 1000;
  }
  out.event = std::move(event);
  return out;
}

timeline::timeline(const std::filesystem::path& file, const committee& members) {
  if (file.empty()) return;
  out_.open(file);
  if (!out_) throw std::runtime_error(file.string() + ": cannot be written: choose another file");
  out_ << "seconds,offered_tps,committed_tps,executed_tps,completed_tps,latency_p50_ms,"
          "latency_p99_ms";
  for (const auto& v : members.validators) out_ << ",queue_ms_" << v.name;
  out_ << ",event\n";
}

void timeline::add(const second& x) {
  if (!out_.is_open()) return;
  out_ << fmt::format("{:.2f},{:.0f},{:.0f},{:.0f},{:.0f},{:.1f},{:.1f}", x.at, x.offered_tps,
                      x.committed_tps, x.executed_tps, x.completed_tps, x.latency_p50_ms,
                      x.latency_p99_ms);
  for (const auto& q : x.queue_ms) out_ << "," << (q ? fmt::format("{:.1f}", *q) : "");
  out_ << "," << x.event << std::endl;
}

}  // namespace flamingo::local
