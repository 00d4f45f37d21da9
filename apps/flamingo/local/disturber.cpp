#include "apps/flamingo/local/disturber.hpp"

#include <fmt/format.h>

#include <utility>

namespace flamingo::local {

using kind = fault_event::kind;

/// @returns false if it cannot be now.
bool disturber::begin(const fault_event& x) {
  switch (x.what) {
    case kind::kill:
      validators_.kill(x.validator);
      ++done_.kills;
      return true;
    case kind::cut:
      validators_.set_cut(x.validator, x.other, true);
      ++done_.cuts;
      return true;
    case kind::pause:
      if (!validators_.running(x.validator)) return false;
      validators_.pause(x.validator);
      ++done_.pauses;
      return true;
  }
  return true;
}

void disturber::take_away(const fault_event& x) {
  switch (x.what) {
    case kind::kill:
      validators_.start(x.validator);
      ++done_.restarts;
      break;
    case kind::cut:
      validators_.set_cut(x.validator, x.other, false);
      ++done_.healed;
      break;
    case kind::pause:  // one that was killed meanwhile runs already
      validators_.resume(x.validator);
      ++done_.resumed;
      break;
  }
}

std::string disturber::advance(std::chrono::milliseconds now) {
  std::erase_if(on_, [&](const running& x) {
    if (now < x.until) return false;
    take_away(x.event);
    return true;
  });
  std::string struck;
  const auto say = [&](const std::string& what) { struck += (struck.empty() ? "" : ", ") + what; };
  while (!ahead_.empty() && now >= ahead_.front().at) {
    const auto x = ahead_.front();
    if (!begin(x)) break;  // at the next beat, or the one after it
    ahead_.pop_front();
    on_.push_back({now + x.lasts, x});
    if (x.what == kind::cut)
      say(fmt::format("v{}-v{} cut", x.validator, x.other));
    else
      say(fmt::format("v{} {}", x.validator, x.what == kind::kill ? "killed" : "paused"));
  }
  return struck;
}

void disturber::end() {
  ahead_.clear();
  for (const auto& x : std::exchange(on_, {})) take_away(x.event);
}

}  // namespace flamingo::local
