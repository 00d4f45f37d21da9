// What a count was a second ago, so that whoever asks once can tell a rate. No CAF.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "messages/time.hpp"

namespace flamingo::committer {

class recent_total {
public:
  static constexpr duration span = std::chrono::seconds(1);
  /// Changes that follow each other sooner are kept as one: that many are a rate all the same.
  static constexpr duration apart = std::chrono::milliseconds(20);

  struct earlier {
    std::uint64_t total = 0;
    duration ago{};
    friend bool operator==(const earlier&, const earlier&) = default;
  };

  /// After each change, and once at the start. `now` does not go back.
  void note(time_point now, std::uint64_t total) {
    while (kept_.size() > 1 && kept_[1].at + span <= now) kept_.pop_front();
    if (kept_.size() > 1 && now - kept_[kept_.size() - 2].at < apart) kept_.pop_back();
    kept_.push_back({now, total});
  }

  /// What it was `span` ago, or when it was noted first if that is not so long ago.
  std::optional<earlier> before(time_point now) const {
    for (auto x = kept_.rbegin(); x != kept_.rend(); ++x)
      if (x->at + span <= now) return earlier{x->total, span};
    if (kept_.empty() || kept_.front().at >= now) return std::nullopt;
    return earlier{kept_.front().total, now - kept_.front().at};
  }

  std::size_t kept() const { return kept_.size(); }

private:
  struct change {
    time_point at;
    std::uint64_t total;
  };
  std::deque<change> kept_;  // the newest; of older ones only the last before the span
};

}  // namespace flamingo::committer
