#include "apps/flamingo/local/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

namespace flamingo::local {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become(char* const* arguments, int output, int log, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(127);  // the parent died before the line above
  // Ctrl-C in a terminal reaches the parent alone, which then ends its children in order.
  ::setpgid(0, 0);
  // No handler of the parent's may run here: signals are blocked until the handlers are gone.
  for (int s = 1; s < NSIG; ++s) ::signal(s, SIG_DFL);
  // SIGHUP waits until the program has said what it is to do; some take it for a wish.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGHUP);
  ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::execv(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

child_process::child_process(const std::vector<std::string>& arguments,
                             const std::filesystem::path& log) {
  std::vector<char*> pointers;
  for (const auto& x : arguments) pointers.push_back(const_cast<char*>(x.c_str()));
  pointers.push_back(nullptr);
  const int log_file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (log_file < 0) fail(log.string());
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) {
    ::close(log_file);
    fail("cannot make a pipe");
  }
  const pid_t parent = ::getpid();
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_ = ::fork();
  if (pid_ == 0) become(pointers.data(), pipe[1], log_file, parent);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(log_file);
  ::close(pipe[1]);
  output_ = pipe[0];
  if (pid_ < 0) {
    ::close(output_);
    fail("cannot start " + arguments.front());
  }
  ::fcntl(output_, F_SETFL, O_NONBLOCK);
}

child_process::child_process(child_process&& from) noexcept
    : pid_(std::exchange(from.pid_, -1)),
      output_(std::exchange(from.output_, -1)),
      buffer_(std::move(from.buffer_)),
      status_(from.status_) {}

child_process::~child_process() {
  if (pid_ < 0) return;
  kill();
  while (!status_ && !wait_for(std::chrono::seconds(1))) {
  }
  ::close(output_);
}

void child_process::terminate() {
  if (pid_ > 0 && !ended()) ::kill(pid_, SIGTERM);
}

void child_process::tell(int signal) {
  if (pid_ > 0 && !ended()) ::kill(pid_, signal);
}

void child_process::kill() {
  if (pid_ > 0 && !ended()) ::kill(pid_, SIGKILL);
}

std::optional<exit_status> child_process::ended() {
  if (status_) return status_;
  int raw = 0;
  const auto found = ::waitpid(pid_, &raw, WNOHANG);
  if (found == pid_) status_ = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
  return status_;
}

std::optional<exit_status> child_process::wait_for(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  while (!ended() && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return status_;
}

std::optional<std::string> child_process::take_line() {
  const auto end = buffer_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

std::optional<std::string> child_process::read_line(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    if (auto line = take_line()) return line;
    char block[4096];
    const auto got = ::read(output_, block, sizeof block);
    if (got > 0) {
      buffer_.append(block, static_cast<std::size_t>(got));
      continue;
    }
    if (got == 0) return std::nullopt;  // it closed its stdout
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd watched{output_, POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(left.count()));
  }
}

std::filesystem::path own_program() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

}  // namespace flamingo::local
