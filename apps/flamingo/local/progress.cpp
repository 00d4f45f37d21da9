#include "apps/flamingo/local/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>

namespace flamingo::local {

void progress::stage(const std::string& what, clock::time_point now) {
  stage_ = what;
  line_.clear();
  stage_began_ = told_ = now;
  if (style_ == style::none) return;
  view_.leave();
  to_ << what << std::endl;
}

void progress::state(const std::string& picture, const std::string& line) {
  line_ = line;
  if (style_ == style::picture) view_.draw(picture, size_of_terminal(STDERR_FILENO));
}

void progress::beat(clock::time_point now) {
  if (style_ != style::lines || stage_.empty() || now - told_ < period) return;
  told_ = now;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - stage_began_);
  to_ << (line_.empty() ? fmt::format("{} ({} s)", stage_, seconds.count()) : line_) << std::endl;
}

}  // namespace flamingo::local
