// The connections of one conversation: who is still a stranger, who is up, and who has to make room
// for others. No CAF.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "actors/link/ending.hpp"
#include "actors/link/peer.hpp"

namespace flamingo::link {

/// Any thread.
class roster {
public:
  using id = std::uint64_t;
  /// Asks a connection to end; called without the lock, at most once.
  using dismissal = std::function<void(ending)>;
  /// Strangers that were asked to make room and are not gone yet, at most: each holds its memory.
  static constexpr std::size_t most_leaving = 64;

  /// @param max_strangers accepted connections before the end of their hand-shake.
  /// @param max_links_of_peer accepted links that are up, to one peer.
  /// @param on_strangers is told their number when it changes, with the lock held.
  roster(std::size_t max_strangers, std::size_t max_links_of_peer,
         std::function<void(std::size_t)> on_strangers)
      : max_strangers_(max_strangers),
        max_links_of_peer_(max_links_of_peer),
        on_strangers_(std::move(on_strangers)) {}

  /// A connection begins. The oldest stranger makes room if there are too many. Who was asked to
  /// and is not gone yet counts on, so that the number of open connections is bounded, however
  /// slowly they end.
  /// @returns empty after `dismiss_all`, and for an accepted one while too many are leaving.
  std::optional<id> begin(bool accepted);
  /// How to end it. It may be over already.
  void introduce(id which, dismissal how);
  /// Its hand-shake is over. The peer's oldest accepted link makes room if there are too many.
  void up(id which, const peer& who);
  /// It is over.
  void gone(id which);

  /// Ends all, and refuses what comes later.
  void dismiss_all();
  /// Waits until all are gone. @returns false at the deadline.
  bool wait_until_empty(std::chrono::steady_clock::time_point deadline);

private:
  struct member {
    bool accepted = false;
    std::optional<peer> who;
    dismissal how;                  // once introduced, until asked
    std::optional<ending> pending;  // asked before it was introduced
  };

  void forget_stranger(id which);
  dismissal ask(std::map<id, member>::iterator at, ending why);

  const std::size_t max_strangers_, max_links_of_peer_;
  const std::function<void(std::size_t)> on_strangers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<id, member> members_;
  std::deque<id> strangers_;                 // accepted, oldest first
  std::set<id> leaving_;                     // strangers that were asked to make room
  std::map<peer, std::deque<id>> links_of_;  // accepted and up, oldest first
  id next_ = 1;
  bool closed_ = false;
};

}  // namespace flamingo::link
