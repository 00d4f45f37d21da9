// A few nodes with real links over loopback, for tests: certificates in a temporary directory,
// ports of the kernel's choice, and events that can be waited for.
#pragma once

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "actors/link/tcp_doorways.hpp"
#include "actors/runtime/metrics.hpp"
#include "crypto/tls_identity.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace flamingo::link::test {

using namespace std::chrono_literals;

/// No wait in a test is longer; one that reaches it fails.
inline constexpr auto patience = 20s;

struct system_config : caf::actor_system_config {
  system_config() {
    load<caf::io::middleman>();
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", 1);
  }
};

template <class Message>
wire<Message> frame_of(std::size_t size, char fill) {
  return wire<Message>(shared_bytes(std::vector<char>(size, fill)));
}

/// What happened at one end of one conversation. Any thread.
template <class Message>
class happenings {
public:
  struct arrival {
    peer from;
    wire<Message> frame;
  };

  events<Message> to(worker_id worker = {}) {
    events<Message> out;
    out.up = [this](peer who, link_actor<Message> handle) {
      note([&] { ups_.emplace_back(who, std::move(handle)); });
    };
    out.frame = [this](peer who, const link_actor<Message>&, wire<Message> frame) {
      note([&] {
        bytes_ += frame.size();
        ++count_;
        if (keep_) frames_.push_back({who, std::move(frame)});
      });
    };
    out.down = [this](peer who, link_actor<Message>) { note([&] { downs_.push_back(who); }); };
    out.worker = worker;
    return out;
  }

  /// Waits until `condition()` holds; it is called with the lock held.
  template <class F>
  bool wait(F condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, condition);
  }
  bool wait_ups(std::size_t n) {
    return wait([&] { return ups_.size() >= n; });
  }
  bool wait_downs(std::size_t n) {
    return wait([&] { return downs_.size() >= n; });
  }
  bool wait_frames(std::size_t n) {
    return wait([&] { return count_ >= n; });
  }
  link_actor<Message> handle(std::size_t i = 0) {
    const std::lock_guard lock(mutex_);
    return ups_.at(i).second;
  }
  peer who(std::size_t i = 0) {
    const std::lock_guard lock(mutex_);
    return ups_.at(i).first;
  }
  std::vector<arrival> frames() {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  std::size_t ups() {
    const std::lock_guard lock(mutex_);
    return ups_.size();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void count_only() { keep_ = false; }

private:
  template <class F>
  void note(F f) {
    {
      const std::lock_guard lock(mutex_);
      f();
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<peer, link_actor<Message>>> ups_;
  std::vector<peer> downs_;
  std::vector<arrival> frames_;
  std::size_t count_ = 0, bytes_ = 0;
  bool keep_ = true;
};

/// A network's authority and the certificates that it issued.
class certificates {
public:
  certificates() : authority_(crypto::create_authority(dir_.path())) {}

  void use(settings& s, const std::string& name) {
    auto files = crypto::files_of(dir_.path(), name);
    if (!std::filesystem::exists(files.certificate)) crypto::issue(authority_, name, dir_.path());
    s.authority = authority_.certificate_file();
    s.certificate = files.certificate;
    s.private_key = files.private_key;
  }

private:
  tests::temporary_directory dir_;
  crypto::authority authority_;
};

/// Four validators and two clients, all with the same chain.
inline identity identity_of(peer self) {
  identity out{self, {}, {}, 4, 2};
  out.chain.bytes.fill(0xc4);
  out.committee.bytes.fill(0xf1);
  return out;
}
inline peer validator(std::uint32_t i) {
  return {peer::kind::validator, i};
}
inline peer client(std::uint32_t i) {
  return {peer::kind::client, i};
}

/// One process, as it were.
struct node {
  node(const identity& who, const settings& s) : doors(make_doorways(system, s, who, metrics)) {
    spdlog::set_level(spdlog::level::off);
  }
  ~node() { stop(); }
  void stop() {
    doors.primaries->stop();
    doors.workers->stop();
    doors.clients->stop();
    doors.operators->stop();
  }
  /// The value of a series, such as `flamingo_link_refused_total{...}`; 0 if there is none.
  double value(const std::string& name, const runtime::labels& labels) const {
    for (const auto& family : metrics.registry()->Collect()) {
      if (family.name != name) continue;
      for (const auto& m : family.metric) {
        std::size_t equal = 0;
        for (const auto& l : m.label)
          if (const auto at = labels.find(l.name); at != labels.end() && at->second == l.value)
            ++equal;
        if (equal == labels.size()) return m.counter.value + m.gauge.value;
      }
    }
    return 0;
  }
  bool wait_value(const std::string& name, const runtime::labels& labels, double least) const {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (value(name, labels) < least) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }

  system_config config;
  caf::actor_system system{config};
  runtime::metrics metrics{runtime::labels{}};
  doorways doors;
};

/// Times that make tests fast.
inline settings quick() {
  settings s;
  s.retry_min = 10ms;
  s.retry_max = 100ms;
  return s;
}
inline settings plain() {
  auto s = quick();
  s.tls = false;
  return s;
}

}  // namespace flamingo::link::test
