#include "actors/link/connector.hpp"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "messages/assert.hpp"

namespace flamingo::link {

using namespace std::chrono_literals;

namespace {

constexpr auto starved_pause = 100ms;  // after the process ran out of descriptors
constexpr int accepts_at_once = 64;    // so that a flood of connects does not keep dials waiting
constexpr auto good_for_long = 5s;     // a link that lasted this long was no failure

}  // namespace

std::chrono::milliseconds back_off::next(std::uint64_t random) {
  auto wait = least_;
  for (std::uint32_t i = 0; i < doublings_ && wait < most_; ++i) wait *= 2;
  wait = std::min(wait, most_);
  ++doublings_;
  const auto half = wait.count() / 2;
  return std::chrono::milliseconds(
      wait.count() - half +
      static_cast<std::int64_t>(random % static_cast<std::uint64_t>(half + 1)));
}

// Ends a poll from any thread.
struct connector::wake_up {
  wake_up() : event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) { FLAMINGO_ASSERT(bool(event)); }
  void ring() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(event.get(), &one, sizeof one);
  }
  void hear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto n = ::read(event.get(), &count, sizeof count);
  }
  socket_handle event;
};

// A name look-up in a thread of its own, which nobody waits for.
struct connector::lookup {
  std::atomic<bool> done = false;
  resolution result;  // once done

  static std::shared_ptr<lookup> start(network_address where, std::shared_ptr<wake_up> wake) {
    auto out = std::make_shared<lookup>();
    std::thread([out, where = std::move(where), wake = std::move(wake)] {
      out->result = resolve(where);
      out->done = true;
      wake->ring();
    }).detach();
    return out;
  }
};

connector::connector(timing t)
    : timing_(t), wake_(std::make_shared<wake_up>()), thread_([this] { run(); }) {}

connector::~connector() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_->ring();
  thread_.join();
}

// -- from other threads

connector::id connector::accept(socket_handle from, arrived to) {
  const std::lock_guard lock(mutex_);
  listeners_.emplace(next_id_, listener{std::move(from), std::move(to)});
  wake_->ring();
  return next_id_++;
}

connector::id connector::dial(const network_address& where, arrived to, failed on_failure) {
  const std::lock_guard lock(mutex_);
  call c;
  c.where = where;
  c.to = std::move(to);
  c.on_failure = std::move(on_failure);
  c.waits = back_off(timing_.retry_min, timing_.retry_max);
  calls_.emplace(next_id_, std::move(c));
  wake_->ring();
  return next_id_++;
}

void connector::lost(id which, bool was_good) {
  // The caller may be the function that this thread has just handed the socket to; the mutex is
  // then ours already, so the news is kept for the next round.
  const auto self = std::this_thread::get_id() == thread_.get_id();
  std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
  if (!self) lock.lock();
  const auto found = calls_.find(which);
  if (found == calls_.end()) return;
  auto& c = found->second;
  const auto now = clock::now();
  if (was_good && now - c.connected_at >= good_for_long) c.waits.reset();
  c.now = call::phase::waiting;
  c.until = now + c.waits.next(random_());
  wake_->ring();
}

void connector::forget(id which) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(which);
  calls_.erase(which);
  wake_->ring();
}

// -- the thread

void connector::run() {
  for (;;) {
    std::vector<watched> all;
    int timeout_ms = -1;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      all = watch(clock::now(), timeout_ms);
    }
    std::vector<pollfd> fds{{wake_->event.get(), POLLIN, 0}};
    for (const auto& w : all) fds.push_back({w.fd, short(w.ready ? POLLIN : POLLOUT), 0});
    if (poll(fds.data(), fds.size(), timeout_ms) < 0 && errno != EINTR)
      spdlog::error("link: poll failed: {}", std::strerror(errno));
    if (fds[0].revents != 0) wake_->hear();
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (fds[i + 1].revents != 0) serve(all[i]);
    const auto now = clock::now();
    for (auto& [which, c] : calls_) advance(c, now);
  }
}

// What to poll for, and for how long.
std::vector<connector::watched> connector::watch(clock::time_point now, int& timeout_ms) {
  std::vector<watched> out;
  auto first = clock::time_point::max();
  const bool starved = accept_again_ > now;
  if (starved) first = accept_again_;
  for (const auto& [which, l] : listeners_)
    if (!starved) out.push_back({which, l.socket.get(), true});
  for (const auto& [which, c] : calls_) {
    if (c.now == call::phase::connecting) out.push_back({which, c.socket.get(), false});
    if (c.now == call::phase::connecting || c.now == call::phase::waiting)
      first = std::min(first, c.until);
  }
  if (first != clock::time_point::max()) {
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(first - now).count();
    timeout_ms = static_cast<int>(std::clamp<std::int64_t>(wait, 0, 3'600'000));
  }
  return out;
}

void connector::serve(const watched& w) {
  // It may have been forgotten since, and its descriptor be another's.
  if (const auto l = listeners_.find(w.which); l != listeners_.end())
    accept_waiting(w.which, l->second);
  else if (const auto c = calls_.find(w.which);
           c != calls_.end() && c->second.now == call::phase::connecting)
    decide(w.which, c->second, clock::now());
}

void connector::accept_waiting(id which, listener& l) {
  bool starved = false;
  for (int i = 0; i < accepts_at_once; ++i) {
    auto socket = accept_one(l.socket, starved);
    if (!socket) break;
    l.to(which, std::move(socket));
  }
  if (!starved) return;
  accept_again_ = clock::now() + starved_pause;
  spdlog::warn("link: too few file descriptors to accept connections; raise the limit (ulimit -n)");
}

void connector::advance(call& c, clock::time_point now) {
  switch (c.now) {
    case call::phase::waiting:
      if (now >= c.until) start(c, now);
      break;
    case call::phase::looking_up:
      if (!c.name->done) break;
      c.left.assign(c.name->result.endpoints.begin(), c.name->result.endpoints.end());
      if (c.left.empty())
        give_up(c, now, c.name->result.failure);
      else
        try_next(c, now, 0);
      break;
    case call::phase::connecting:
      if (now >= c.until) try_next(c, now, ETIMEDOUT);
      break;
    case call::phase::connected:
      break;
  }
}

void connector::start(call& c, clock::time_point now) {
  if (const auto found = resolve_number(c.where)) {
    c.left.assign(found->endpoints.begin(), found->endpoints.end());
    try_next(c, now, 0);
    return;
  }
  try {
    c.name = lookup::start(c.where, wake_);
    c.now = call::phase::looking_up;
  } catch (const std::system_error& e) {  // no more threads
    give_up(c, now, e.what());
  }
}

// The next endpoint, or the end of this attempt with `error`.
void connector::try_next(call& c, clock::time_point now, int error) {
  while (!c.left.empty()) {
    const auto to = c.left.front();
    c.left.pop_front();
    c.socket = start_connect(to);
    if (c.socket) {
      c.now = call::phase::connecting;
      c.until = now + timing_.connect_timeout;
      return;
    }
    error = errno;
  }
  give_up(c, now, std::strerror(error));
}

void connector::decide(id which, call& c, clock::time_point now) {
  if (const int error = connect_result(c.socket)) {
    try_next(c, now, error);
    return;
  }
  c.now = call::phase::connected;
  c.connected_at = now;
  c.to(which, std::move(c.socket));
}

void connector::give_up(call& c, clock::time_point now, const std::string& reason) {
  c.socket.reset();
  c.now = call::phase::waiting;
  c.until = now + c.waits.next(random_());
  c.on_failure(reason, c.waits.failures());
}

}  // namespace flamingo::link
