// How a long-running command learns that it is to end: SIGTERM or SIGINT, or its environment
// failed.
#pragma once

#include <signal.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

namespace flamingo::runtime {

/// Construct it before any thread starts: it blocks the signals, so that threads inherit that and
/// none of them is interrupted. One a process.
class stop_signal {
public:
  stop_signal();
  ~stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Any thread: ends the wait with one line that says what failed. Only the first counts.
  void fail(const std::string& what);

  /// Waits for a signal or a failure, at most until `timeout`.
  /// @returns false if neither came.
  bool wait_for(std::chrono::milliseconds timeout);
  void wait();

  /// What failed, if it was no signal that ended the wait.
  std::optional<std::string> failure() const;

private:
  bool wait_ms(int timeout);

  int signals_ = -1, failed_ = -1;  // signalfd, eventfd
  sigset_t before_;                 // the mask to restore
  mutable std::mutex mutex_;
  std::optional<std::string> failure_;
};

/// Ends the process, with one line, if it still lives after `limit`: CAF's shut-down can hang, and
/// whoever sends SIGTERM counts on an end within five seconds. What was visible is durable already,
/// so nothing is lost.
void end_process_after(std::chrono::milliseconds limit, const std::string& name);

}  // namespace flamingo::runtime
