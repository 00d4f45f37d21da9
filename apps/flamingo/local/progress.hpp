// What a long run tells while it goes on: a picture in a terminal, a plain line now and then
// elsewhere, or nothing.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "apps/flamingo/local/live_view.hpp"

namespace flamingo::local {

class progress {
public:
  enum class style { none, lines, picture };
  using clock = std::chrono::steady_clock;

  /// With `lines`, one of them each `period` at most, but for stages.
  static constexpr std::chrono::seconds period{5};

  progress(style x, std::ostream& to) : style_(x), to_(to), view_(to) {}

  /// A new stage of the run begins: told at once.
  void stage(const std::string& what, clock::time_point now);
  /// How it is now: `picture` for a terminal, the same in one line for elsewhere.
  void state(const std::string& picture, const std::string& line);
  /// To be called again and again.
  void beat(clock::time_point now);

  style how() const { return style_; }

private:
  style style_;
  std::ostream& to_;
  live_view view_;
  std::string stage_, line_;
  clock::time_point stage_began_{}, told_{};
};

}  // namespace flamingo::local
