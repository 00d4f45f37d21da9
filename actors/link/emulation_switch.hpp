// What a node's links pretend to be at this moment: experiments change it while they run.
#pragma once

#include <mutex>
#include <utility>

#include "actors/link/settings.hpp"

namespace flamingo::link {

/// Any thread. A link reads at its hand-shake how its frames travel, and again and again, at least
/// each second, whether it is cut.
class emulation_switch {
public:
  explicit emulation_switch(emulations at_first) : now_(std::move(at_first)) {}

  emulation of(const peer& other) const {
    const std::lock_guard lock(mutex_);
    return now_.of(other);
  }
  void set(emulations all) {
    const std::lock_guard lock(mutex_);
    now_ = std::move(all);
  }

private:
  mutable std::mutex mutex_;
  emulations now_;
};

}  // namespace flamingo::link
