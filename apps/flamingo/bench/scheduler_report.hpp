// What the scheduler benchmark prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/flamingo/bench/scheduler_bench.hpp"

namespace flamingo::bench {

/// One for each cost of a remote read.
std::vector<nlohmann::ordered_json> to_json(const scheduler_result&);

/// For a person: a head, then a line for each result.
std::string table_head();
std::string table_line(const scheduler_result&);

/// For apps/plots/schedulers.py: a head, then a line for each result and cost of a remote read.
std::string csv_head();
std::string csv_lines(const scheduler_result&);

}  // namespace flamingo::bench
