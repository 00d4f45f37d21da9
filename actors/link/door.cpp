#include "actors/link/door.hpp"

#include <spdlog/spdlog.h>

namespace flamingo::link {

bool log_budget::take(time now, std::uint64_t& passed_over) {
  const std::lock_guard lock(mutex_);
  if (now - since_ >= period) {
    since_ = now;
    taken_ = 0;
  }
  if (++taken_ > lines) {
    ++passed_over_;
    return false;
  }
  passed_over = std::exchange(passed_over_, 0);
  return true;
}

void door::log_end(const std::string& with, const ended& how) {
  if (!is_refusal(how.why)) {
    spdlog::info("link down: {} link {}: {}", to_string(about), with, how.line);
    return;
  }
  std::uint64_t passed_over = 0;
  if (!refusals_.take(std::chrono::steady_clock::now(), passed_over)) return;
  if (passed_over > 0) spdlog::warn("link: {} refusals were not logged", passed_over);
  spdlog::warn("link refused: {} link {}: {} ({})", to_string(about), with, how.line,
               to_string(how.why));
}

}  // namespace flamingo::link
