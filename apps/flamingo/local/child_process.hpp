// A process that this one started, and the only kind that it ever ends.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace flamingo::local {

/// How a process ended: its exit code, or 128 + the signal that killed it, as in a shell.
using exit_status = int;

class child_process {
public:
  /// Starts `arguments[0]`, a path, with its stderr appended to `log` and its stdout in a pipe. It
  /// gets SIGTERM when this process dies, whatever the reason, so it must be started from a thread
  /// that lives as long as this process (the main one). Its process group is its own: what a
  /// terminal sends to all does not reach it. Throws std::runtime_error.
  child_process(const std::vector<std::string>& arguments, const std::filesystem::path& log);
  /// kill()s and waits, if it still runs.
  ~child_process();
  child_process(child_process&& from) noexcept;
  child_process& operator=(child_process&&) = delete;

  pid_t pid() const { return pid_; }

  /// SIGTERM. Nothing if it has ended.
  void terminate();
  /// SIGKILL. Nothing if it has ended.
  void kill();

  /// Sends a signal that is no end: SIGHUP (blocked until the program takes it), SIGSTOP, SIGCONT.
  /// Nothing if it has ended.
  void tell(int signal);

  /// Its status once it has ended; nothing while it runs.
  std::optional<exit_status> ended();
  /// Waits up to `timeout`.
  std::optional<exit_status> wait_for(std::chrono::milliseconds timeout);

  /// The next whole line that it printed, without the line's end; waits up to `timeout` for it.
  std::optional<std::string> read_line(std::chrono::milliseconds timeout);

private:
  std::optional<std::string> take_line();

  pid_t pid_ = -1;
  int output_ = -1;
  std::string buffer_;  // printed, not yet taken
  std::optional<exit_status> status_;
};

/// The path of this program's own file.
std::filesystem::path own_program();

}  // namespace flamingo::local
