#include "apps/flamingo/runtime/metrics_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <prometheus/text_serializer.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/schema.hpp"
#include "apps/flamingo/runtime/process_metrics.hpp"

namespace flamingo::runtime {

namespace {

using clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

bool again(int code) {
  return code == EAGAIN || code == EWOULDBLOCK || code == EINTR;
}

std::string answer(const char* status, const std::string& body) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      status, body.size(), body);
}

}  // namespace

metrics_server::metrics_server(const network_address& where, const metrics& of) {
  try {
    listener_ = link::listen_on(where);
  } catch (const std::exception&) {
    throw config::error(
        fmt::format("metrics: cannot listen at {}: is the port taken? Choose another in the file "
                    "(\"\": no metrics); for a node's process also with --metrics",
                    config::to_string(where)));
  }
  stopped_ = link::socket_handle(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stopped_) throw config::error("metrics: cannot be served: too many open files");
  add(of.registry());
  add(std::make_shared<process_metrics>());
  thread_ = std::thread([this] { serve(); });
  pthread_setname_np(thread_.native_handle(), "metrics");
}

metrics_server::~metrics_server() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(stopped_.get(), &one, sizeof one);
  thread_.join();
}

void metrics_server::add(std::shared_ptr<prometheus::Collectable> more) {
  const std::lock_guard lock(mutex_);
  served_.push_back(std::move(more));
}

void metrics_server::serve() {
  std::vector<pollfd> watched;
  for (;;) {
    auto now = clock::now();
    watched = {{stopped_.get(), POLLIN, 0},
               {accept_again_ <= now ? listener_.get() : -1, POLLIN, 0}};
    auto next = accept_again_ <= now ? now + 1min : accept_again_;
    for (const auto& x : connections_) {
      watched.push_back(
          {x.socket.get(), static_cast<short>(x.at == stage::answered ? POLLOUT : POLLIN), 0});
      next = std::min(next, x.until);
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - now).count();
    ::poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(wait, 0)));
    if (watched[0].revents != 0) return;
    now = clock::now();
    auto seen = watched.begin() + 2;
    std::erase_if(connections_, [&](connection& x) {
      const bool ready = (seen++)->revents != 0;
      return (ready && !go_on(x, now)) || x.until <= now;
    });
    if (watched[1].revents != 0) accept_all(now);
  }
}

void metrics_server::accept_all(time now) {
  // As many as there is room for: then whoever has asked is heard.
  for (std::size_t i = 0; i < connections_max; ++i) {
    bool starved = false;
    auto socket = link::accept_one(listener_, starved);
    if (starved) accept_again_ = now + 100ms;
    if (!socket) return;
    if (connections_.size() == connections_max) make_room();
    connections_.push_back({std::move(socket), now + request_timeout, stage::asks, {}, {}});
    // Most have said all by now: one that has is no longer in the way of others.
    if (!go_on(connections_.back(), now)) connections_.pop_back();
  }
}

void metrics_server::make_room() {
  const auto idle = std::find_if(connections_.begin(), connections_.end(),
                                 [](const connection& x) { return x.at != stage::answered; });
  connections_.erase(idle == connections_.end() ? connections_.begin() : idle);
}

/// @returns false if the connection is over.
bool metrics_server::go_on(connection& x, time now) {
  if (x.at != stage::answered && !hear(x, now)) return false;
  while (x.at == stage::answered) {
    const auto sent = ::send(x.socket.get(), x.out.data(), x.out.size(), MSG_NOSIGNAL);
    if (sent < 0) return again(errno);
    x.out.erase(0, static_cast<std::size_t>(sent));
    if (!x.out.empty()) continue;
    // Closed by the other end, so that nothing that it may still send resets what is on its way.
    ::shutdown(x.socket.get(), SHUT_WR);
    x.at = stage::leaves;
    x.until = std::min(x.until, now + request_timeout);
  }
  return true;
}

bool metrics_server::hear(connection& x, time now) {
  char some[2048];
  // A few times, so that nobody who sends without end holds the thread.
  for (int i = 0; i < 8; ++i) {
    const auto got = ::recv(x.socket.get(), some, sizeof some, 0);
    if (got < 0) return again(errno);
    if (got == 0) return false;
    if (x.at == stage::leaves) continue;
    x.in.append(some, static_cast<std::size_t>(got));
    if (x.in.find("\r\n\r\n") != std::string::npos) {
      x.out = answer_to(x.in);
      x.at = stage::answered;
      x.until = now + answer_timeout;
      return true;
    }
    if (x.in.size() > request_bytes_max) return false;
  }
  return true;
}

std::string metrics_server::answer_to(const std::string& request) {
  const auto line = request.substr(0, request.find("\r\n"));
  if (!line.starts_with("GET ")) return answer("405 Method Not Allowed", "only GET\n");
  const auto path = line.substr(4, line.find_first_of(" ?", 4) - 4);
  if (path != "/metrics") return answer("404 Not Found", "metrics are at /metrics\n");
  return answer("200 OK", page());
}

std::string metrics_server::page() {
  std::vector<prometheus::MetricFamily> all;
  const std::lock_guard lock(mutex_);
  for (const auto& x : served_) {
    auto more = x->Collect();
    std::move(more.begin(), more.end(), std::back_inserter(all));
  }
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace flamingo::runtime
