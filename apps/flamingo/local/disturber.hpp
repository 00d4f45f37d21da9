// Brings faults over the validators of a local network, as planned, and takes them away again.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "apps/flamingo/local/chaos_plan.hpp"
#include "apps/flamingo/local/cluster.hpp"

namespace flamingo::local {

class disturber {
public:
  /// Faults that began, and those that were taken away.
  struct counts {
    std::size_t kills = 0, restarts = 0, cuts = 0, healed = 0, pauses = 0, resumed = 0;
  };

  explicit disturber(cluster& validators) : validators_(validators) {}

  void plan(const std::vector<fault_event>& events) { ahead_ = {events.begin(), events.end()}; }

  /// Does what is due at `now`, from the start of the load.
  /// @returns what struck: "v1 killed, v0-v3 cut"; mostly nothing.
  std::string advance(std::chrono::milliseconds now);

  /// No more faults; those that are on end at once.
  void end();

  const counts& done() const { return done_; }

private:
  struct running {
    std::chrono::milliseconds until;
    fault_event event;
  };

  bool begin(const fault_event& x);
  void take_away(const fault_event& x);

  cluster& validators_;
  std::deque<fault_event> ahead_;
  std::vector<running> on_;
  counts done_;
};

}  // namespace flamingo::local
