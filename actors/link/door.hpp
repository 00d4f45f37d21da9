// What all connections of one conversation share: whether events may still be delivered, who is
// there, what is counted, and how much is logged. No CAF.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "actors/link/ending.hpp"
#include "actors/link/link_metrics.hpp"
#include "actors/link/patience.hpp"
#include "actors/link/roster.hpp"

namespace flamingo::link {

/// Lets a few lines of a kind through and counts the rest: strangers must not fill the disk.
class log_budget {
public:
  using time = std::chrono::steady_clock::time_point;
  /// @returns false if the line is one too many; otherwise `passed_over` were, since the last one.
  bool take(time now, std::uint64_t& passed_over);

private:
  static constexpr std::uint32_t lines = 20;
  static constexpr std::chrono::seconds period{10};

  std::mutex mutex_;
  time since_{};
  std::uint32_t taken_ = 0;
  std::uint64_t passed_over_ = 0;
};

class door {
public:
  door(conversation what, const settings& s, runtime::metrics& into)
      : about(what),
        metrics(into, what),
        connections(s.max_strangers, s.max_links_of_peer,
                    [this](std::size_t now) { metrics.strangers(now); }),
        with_peers(s.frames_per_second, s.vain_frames_per_second) {}
  door(const door&) = delete;

  const conversation about;
  link_metrics metrics;
  roster connections;
  patience with_peers;

  /// Calls `event` unless the door is shut; `shut` waits for it.
  template <class F>
  void deliver(F&& event) {
    const std::lock_guard lock(mutex_);
    if (!shut_) event();
  }

  /// No event after this returns. An event itself may call it.
  void shut() {
    const std::lock_guard lock(mutex_);
    shut_ = true;
  }

  /// "primary link from 10.0.0.7:4410: <line>"; refusals within the budget.
  void log_end(const std::string& with, const ended& how);

private:
  std::recursive_mutex mutex_;
  bool shut_ = false;
  log_budget refusals_;
};

}  // namespace flamingo::link
