// What clients counted, for people and as JSON.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "actors/client/summary.hpp"

namespace flamingo::load {

/// What was counted after `earlier` was: of the counts, the difference.
client::latency_histogram since(const client::latency_histogram& now,
                                const client::latency_histogram& earlier);

/// When a report is made.
struct report_times {
  std::chrono::duration<double> since_start{};
  /// How long there was load: what comes after it is only waiting for receipts.
  std::chrono::duration<double> load{};
  std::chrono::duration<double> since_before{};  // the report before this one
};

/// Rates over the length of the load and counts as they are; latencies in milliseconds. `before` is
/// what the line before this one said: "recent" values are since then.
nlohmann::ordered_json to_json(const client::summary& now, const client::summary& before,
                               const report_times& when);

/// One line.
std::string to_line(const client::summary& now, const client::summary& before,
                    const report_times& when);

/// Several lines for the end. What they count adds up: offered is sent and never sent; sent is with
/// receipts, invalid and without receipts; with receipts are all results and those not heard.
std::string to_text(const client::summary& x, const report_times& when);

}  // namespace flamingo::load
