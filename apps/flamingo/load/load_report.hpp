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

/// Rates over `length` and counts as they are; latencies in milliseconds. `before` is what the line
/// before this one said: "recent" values are since then.
nlohmann::ordered_json to_json(const client::summary& now, const client::summary& before,
                               std::chrono::duration<double> length,
                               std::chrono::duration<double> since_before);

/// One line.
std::string to_line(const client::summary& now, const client::summary& before,
                    std::chrono::duration<double> length,
                    std::chrono::duration<double> since_before);

/// Several lines for the end.
std::string to_text(const client::summary& x, std::chrono::duration<double> length);

}  // namespace flamingo::load
