// How a long-running command learns that it is to end: SIGTERM or SIGINT, or its environment
// failed.
#pragma once

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace flamingo::runtime {

/// Construct it before any thread starts: it blocks the signals, so that threads inherit that and
/// none of them is interrupted. One a process.
class stop_signal {
public:
  /// What SIGHUP does: what it did before, or whatever `on_hangup` is told. It ends no wait.
  enum class hangup : std::uint8_t { untouched, taken };
  explicit stop_signal(hangup what = hangup::untouched);
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Any thread: ends the wait with one line that says what failed. Only the first counts.
  void fail(const std::string& what);

  /// Any thread: ends one wait, without a failure.
  void interrupt();

  /// Called at SIGHUP, if it is taken, by the thread that waits. Empty: nothing is.
  void on_hangup(std::function<void()> what) { on_hangup_ = std::move(what); }

  /// Waits for a signal, a failure or an interruption, at most until `timeout`.
  /// @returns false if none came.
  bool wait_for(std::chrono::milliseconds timeout);
  void wait();

  /// Whether a wait ended by a signal.
  bool signalled() const { return signalled_; }
  /// What failed, if it was no signal that ended the wait.
  std::optional<std::string> failure() const;

private:
  bool wait_ms(int timeout);
  bool take_signal();

  int signals_ = -1, failed_ = -1, interrupted_ = -1;  // signalfd, eventfds
  bool signalled_ = false;
  std::function<void()> on_hangup_;
  sigset_t before_;  // the mask to restore
  mutable std::mutex mutex_;
  std::optional<std::string> failure_;
};

/// Ends the process, with one line, if this object still lives after `limit`: CAF's shut-down can
/// hang, and whoever sends SIGTERM counts on an end within five seconds. What was visible is
/// durable already, so nothing is lost.
class stop_limit {
public:
  stop_limit(std::chrono::milliseconds limit, const std::string& name);
  ~stop_limit();

private:
  struct shared;
  std::shared_ptr<shared> shared_;
};

}  // namespace flamingo::runtime
