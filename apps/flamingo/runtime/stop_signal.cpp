#include "apps/flamingo/runtime/stop_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace flamingo::runtime {

stop_signal::stop_signal(hangup what) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  ::sigaddset(&wanted, SIGTERM);
  ::sigaddset(&wanted, SIGINT);
  if (what == hangup::taken) ::sigaddset(&wanted, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &wanted, &before_);
  signals_ = ::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
  failed_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  interrupted_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (signals_ < 0 || failed_ < 0 || interrupted_ < 0)
    throw std::runtime_error(std::string("cannot wait for signals: ") + std::strerror(errno));
}

stop_signal::~stop_signal() {
  ::close(signals_);
  ::close(failed_);
  ::close(interrupted_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void stop_signal::fail(const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = what;
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(failed_, &one, sizeof one);
}

void stop_signal::interrupt() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(interrupted_, &one, sizeof one);
}

/// @returns false if it was one that ends nothing.
bool stop_signal::take_signal() {
  signalfd_siginfo info;  // taken, so that a second signal is waited for anew
  if (::read(signals_, &info, sizeof info) <= 0) return true;
  if (info.ssi_signo == SIGHUP) {
    if (on_hangup_) on_hangup_();
    return false;
  }
  signalled_ = true;
  return true;
}

bool stop_signal::wait_ms(int timeout) {
  pollfd watched[] = {{signals_, POLLIN, 0}, {failed_, POLLIN, 0}, {interrupted_, POLLIN, 0}};
  for (;;) {
    const int ready = ::poll(watched, 3, timeout);
    if (ready > 0) {
      if (!take_signal()) continue;
      std::uint64_t interruptions;
      [[maybe_unused]] const auto taken =
          ::read(interrupted_, &interruptions, sizeof interruptions);
      return true;
    }
    if (ready == 0) return false;
    if (errno != EINTR)
      throw std::runtime_error(std::string("cannot wait for signals: ") + std::strerror(errno));
  }
}

bool stop_signal::wait_for(std::chrono::milliseconds timeout) {
  return wait_ms(static_cast<int>(timeout.count()));
}

void stop_signal::wait() {
  wait_ms(-1);
}

std::optional<std::string> stop_signal::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

struct stop_limit::shared {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
};

stop_limit::stop_limit(std::chrono::milliseconds limit, const std::string& name)
    : shared_(std::make_shared<shared>()) {
  std::thread([limit, name, mine = shared_] {
    std::unique_lock lock(mine->mutex);
    if (mine->changed.wait_for(lock, limit, [&] { return mine->over; })) return;
    std::fprintf(stderr, "flamingo: %s: did not stop within %d ms: ended\n", name.c_str(),
                 static_cast<int>(limit.count()));
    std::fflush(nullptr);
    ::_exit(1);
  }).detach();
}

stop_limit::~stop_limit() {
  const std::lock_guard lock(shared_->mutex);
  shared_->over = true;
  shared_->changed.notify_all();
}

}  // namespace flamingo::runtime
