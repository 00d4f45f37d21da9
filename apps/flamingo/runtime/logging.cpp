#include "apps/flamingo/runtime/logging.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

namespace flamingo::runtime {

namespace {

std::string utc(spdlog::log_clock::time_point at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(at - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), rest);
}

std::string_view view(spdlog::string_view_t x) {
  return {x.data(), x.size()};
}

class line_formatter final : public spdlog::formatter {
public:
  line_formatter(config::log_settings::style style, std::string node)
      : style_(style), node_(std::move(node)) {}

  void format(const spdlog::details::log_msg& x, spdlog::memory_buf_t& into) override {
    const auto level = view(spdlog::level::to_string_view(x.level));
    const std::string text(view(x.payload));
    std::string line;
    if (style_ == config::log_settings::style::json) {
      // A peer's bytes may end up in a message: what is no UTF-8 is replaced, never thrown.
      line = nlohmann::ordered_json{
          {"time", utc(x.time)},
          {"level", level},
          {"node", node_},
          {"message",
           text}}.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    } else {
      line = fmt::format("{} {} {}: {}", utc(x.time), level, node_, text);
      for (auto& c : line)
        if (c == '\n' || c == '\r') c = ' ';
    }
    line += '\n';
    into.append(line.data(), line.data() + line.size());
  }

  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<line_formatter>(style_, node_);
  }

private:
  config::log_settings::style style_;
  std::string node_;
};

}  // namespace

std::unique_ptr<spdlog::formatter> make_log_formatter(config::log_settings::style style,
                                                      const std::string& node) {
  return std::make_unique<line_formatter>(style, node);
}

void configure_logging(const config::log_settings& settings, const std::string& node) {
  auto logger = std::make_shared<spdlog::logger>("flamingo",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(make_log_formatter(settings.format, node));
  logger->set_level(spdlog::level::from_str(settings.level));
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace flamingo::runtime
