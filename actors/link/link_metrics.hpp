// What links count. Every series is there from the start; their number depends on the kinds of
// peers, never on how many there are.
#pragma once

#include <array>

#include "actors/link/ending.hpp"
#include "actors/link/peer.hpp"
#include "actors/link/session.hpp"
#include "actors/runtime/metrics.hpp"

namespace flamingo::link {

/// Of one conversation. Any thread.
class link_metrics {
public:
  link_metrics(runtime::metrics& into, conversation about);

  void went_up(peer::kind who) { of(who).up->Increment(); }
  void went_down(peer::kind who) { of(who).up->Decrement(); }
  void add(peer::kind who, const traffic& t);
  /// The bytes that wait on one link changed by `difference`.
  void queued(peer::kind who, double difference) { of(who).queued->Increment(difference); }
  /// Reading stopped until the role catches up.
  void held(peer::kind who) { of(who).holds->Increment(); }
  /// Reading stopped since the peer said too much, or too much in vain.
  void throttled(peer::kind who) { of(who).throttles->Increment(); }
  void count(ending why) { endings_[static_cast<std::size_t>(why)]->Increment(); }
  void strangers(std::size_t now) { strangers_->Set(static_cast<double>(now)); }
  void dial_failed() { dials_failed_->Increment(); }

private:
  struct of_kind {
    prometheus::Gauge* up = nullptr;
    prometheus::Gauge* queued = nullptr;
    prometheus::Counter* bytes_in = nullptr;
    prometheus::Counter* bytes_out = nullptr;
    prometheus::Counter* frames_in = nullptr;
    prometheus::Counter* frames_out = nullptr;
    prometheus::Counter* lost = nullptr;
    prometheus::Counter* holds = nullptr;
    prometheus::Counter* throttles = nullptr;
    std::array<prometheus::Counter*, link_priorities> dropped{};
  };
  of_kind& of(peer::kind who) { return kinds_[static_cast<std::size_t>(who)]; }

  std::shared_ptr<prometheus::Registry> registry_;  // keeps the series alive
  std::array<of_kind, peer_kinds> kinds_;
  std::array<prometheus::Counter*, endings> endings_{};
  prometheus::Gauge* strangers_ = nullptr;
  prometheus::Counter* dials_failed_ = nullptr;
};

}  // namespace flamingo::link
