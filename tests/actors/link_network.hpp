// A few nodes with real links over loopback, for tests: certificates in a temporary directory,
// ports of the kernel's choice, and events that can be waited for.
#pragma once

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
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

/// What happened at one end of one conversation. Any thread; links may outlive it.
template <class Message>
class happenings {
public:
  struct arrival {
    peer from;
    wire<Message> frame;
  };
  struct record {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::pair<peer, link_actor<Message>>> ups;
    std::vector<peer> downs;
    std::vector<std::pair<peer, ended>> refusals;
    std::vector<arrival> frames;  // kept, that is, not handled
    std::size_t count = 0;        // of frames

    template <class F>
    void note(F f) {
      {
        const std::lock_guard lock(mutex);
        f();
      }
      changed.notify_all();
    }
  };

  events<Message> to(worker_id worker = {}) {
    events<Message> out;
    out.up = [r = record_](peer who, link_actor<Message> handle) {
      r->note([&] { r->ups.emplace_back(who, std::move(handle)); });
    };
    out.frame = [r = record_](peer who, const link_actor<Message>&, wire<Message> frame) {
      r->note([&] {
        ++r->count;
        r->frames.push_back({who, std::move(frame)});
      });
    };
    out.down = [r = record_](peer who, link_actor<Message>) {
      r->note([&] { r->downs.push_back(who); });
    };
    out.worker = worker;
    out.refused = [r = record_](peer who, const ended& how) {
      r->note([&] { r->refusals.emplace_back(who, how); });
    };
    return out;
  }

  /// Waits until `condition(record)` holds; it is called with the lock held.
  template <class F>
  bool wait(F condition) {
    std::unique_lock lock(record_->mutex);
    return record_->changed.wait_for(lock, patience, [&] { return condition(*record_); });
  }
  bool wait_ups(std::size_t n) {
    return wait([&](record& r) { return r.ups.size() >= n; });
  }
  bool wait_downs(std::size_t n) {
    return wait([&](record& r) { return r.downs.size() >= n; });
  }
  /// Waits until a dial to `whom` was refused for that.
  bool wait_refusal(peer whom, ending why) {
    return wait([&](record& r) {
      return std::any_of(r.refusals.begin(), r.refusals.end(), [&](const auto& x) {
        return x.first == whom && x.second.why == why && !x.second.line.empty();
      });
    });
  }
  bool wait_frames(std::size_t n) {
    return wait([&](record& r) { return r.count >= n; });
  }
  link_actor<Message> handle(std::size_t i = 0) {
    return look([&](record& r) { return r.ups.at(i).second; });
  }
  peer who(std::size_t i = 0) {
    return look([&](record& r) { return r.ups.at(i).first; });
  }
  std::vector<arrival> frames() {
    return look([](record& r) { return r.frames; });
  }
  /// The frames that are kept, which are handled with that.
  std::vector<arrival> take_frames() {
    return look([](record& r) { return std::exchange(r.frames, {}); });
  }
  std::size_t kept_bytes() {
    return look([](record& r) {
      std::size_t out = 0;
      for (const auto& x : r.frames) out += x.frame.size();
      return out;
    });
  }
  std::size_t ups() {
    return look([](record& r) { return r.ups.size(); });
  }
  std::size_t count() {
    return look([](record& r) { return r.count; });
  }

private:
  template <class F>
  auto look(F f) {
    const std::lock_guard lock(record_->mutex);
    return f(*record_);
  }

  std::shared_ptr<record> record_ = std::make_shared<record>();
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
    return wait_until([&] { return value(name, labels) >= least; });
  }
  bool wait_zero(const std::string& name, const runtime::labels& labels) const {
    return wait_until([&] { return value(name, labels) == 0; });
  }
  template <class Condition>
  static bool wait_until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!condition()) {
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
