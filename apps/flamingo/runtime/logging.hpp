// What a command logs: to stderr, with level, UTC time and the node's name, as text or as JSON.
#pragma once

#include <memory>
#include <string>

#include "apps/flamingo/config/node_file.hpp"

namespace spdlog {
class formatter;
}

namespace flamingo::runtime {

/// Makes spdlog's default logger write to stderr for `node` ("v0").
void configure_logging(const config::log_settings& settings, const std::string& node);

/// The formatter behind it: "2024-05-01T12:00:00.123Z info v0: text", or one JSON object a line.
std::unique_ptr<spdlog::formatter> make_log_formatter(config::log_settings::style style,
                                                      const std::string& node);

}  // namespace flamingo::runtime
