// Accepting and dialling over loopback, without CAF.
#include <doctest/doctest.h>
#include <netdb.h>

#include <atomic>
#include <condition_variable>

#include "actors/link/connector.hpp"

namespace flamingo::link {

namespace {

using namespace std::chrono_literals;

constexpr connector::timing quick{2000ms, 1ms, 20ms};

// Sockets and failures, to be waited for.
struct inbox {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<socket_handle> sockets;
  std::vector<connector::id> ids;
  std::vector<std::string> failures;

  connector::arrived arrived() {
    return [this](connector::id id, socket_handle s) {
      const std::lock_guard lock(mutex);
      sockets.push_back(std::move(s));
      ids.push_back(id);
      changed.notify_all();
    };
  }
  connector::failed failed() {
    return [this](const std::string& reason, std::uint32_t) {
      const std::lock_guard lock(mutex);
      failures.push_back(reason);
      changed.notify_all();
    };
  }
  template <class F>
  bool wait(F f) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, 20s, f);
  }
};

TEST_SUITE("link connector") {
  TEST_CASE("waits double up to their most, each with jitter") {
    back_off waits(100ms, 1000ms);
    const std::int64_t expected[] = {100, 200, 400, 800, 1000, 1000, 1000};
    for (const auto most : expected) {
      CHECK(waits.next(0) == std::chrono::milliseconds(most - most / 2));
    }
    CHECK(waits.failures() == 7);
    waits.reset();
    CHECK(waits.next(50) == 100ms);
    for (std::uint64_t random = 0; random < 5000; random += 7) {
      back_off one(100ms, 1000ms);
      const auto wait = one.next(random);
      CHECK(wait >= 50ms);
      CHECK(wait <= 100ms);
    }
  }

  TEST_CASE("waits stay finite after very many failures") {
    back_off waits(1ms, 600'000ms);
    for (int i = 0; i < 1000; ++i) CHECK(waits.next(i) <= 600'000ms);
  }

  TEST_CASE("a dial meets its listener, by number and by name") {
    for (const auto* host : {"127.0.0.1", "localhost"}) {
      addrinfo* found = nullptr;
      const int failed = ::getaddrinfo(host, nullptr, nullptr, &found);
      REQUIRE_MESSAGE(failed == 0, host << " does not resolve here: " << ::gai_strerror(failed)
                                        << ": is it in /etc/hosts?");
      ::freeaddrinfo(found);
      connector c(quick);
      inbox here, there;
      auto listener = listen_on({"127.0.0.1", 0});
      const auto port = local_port(listener);
      const auto accepting = c.accept(std::move(listener), here.arrived());
      const auto dialling = c.dial({host, port}, there.arrived(), there.failed());
      REQUIRE(here.wait([&] { return here.sockets.size() == 1; }));
      REQUIRE(there.wait([&] { return there.sockets.size() == 1; }));
      CHECK(here.ids[0] == accepting);
      CHECK(there.ids[0] == dialling);
      CHECK(remote_of(there.sockets[0]) == "127.0.0.1:" + std::to_string(port));
    }
  }

  TEST_CASE("it dials until somebody listens, and again after the connection was lost") {
    connector c(quick);
    auto listener = listen_on({"127.0.0.1", 0});
    const auto port = local_port(listener);
    listener.reset();
    inbox here, there;
    const auto dialling = c.dial({"127.0.0.1", port}, there.arrived(), there.failed());
    REQUIRE(there.wait([&] { return there.failures.size() >= 3; }));
    CHECK(there.failures[0] == "Connection refused");
    c.accept(listen_on({"127.0.0.1", port}), here.arrived());
    REQUIRE(there.wait([&] { return there.sockets.size() == 1; }));
    c.lost(dialling, true);
    REQUIRE(there.wait([&] { return there.sockets.size() == 2; }));
    REQUIRE(here.wait([&] { return here.sockets.size() == 2; }));
  }

  TEST_CASE("a name that nobody knows is a failure with a reason, and tried again") {
    connector c(quick);
    inbox there;
    c.dial({"no-such-host.invalid", 1}, there.arrived(), there.failed());
    REQUIRE(there.wait([&] { return there.failures.size() >= 2; }));
    CHECK_FALSE(there.failures[0].empty());
  }

  TEST_CASE("a dial that was forgotten calls nobody, and its listener is closed") {
    connector c(quick);
    inbox here, there;
    auto listener = listen_on({"127.0.0.1", 0});
    const auto port = local_port(listener);
    const auto accepting = c.accept(std::move(listener), here.arrived());
    c.forget(accepting);
    CHECK_NOTHROW(listen_on({"127.0.0.1", port}));
    const auto dialling = c.dial({"127.0.0.1", port}, there.arrived(), there.failed());
    REQUIRE(there.wait([&] { return !there.failures.empty(); }));
    c.forget(dialling);
    const auto count = there.failures.size();
    inbox other;  // its dial goes through the same thread, so it has been round since
    c.dial({"127.0.0.1", port}, other.arrived(), other.failed());
    REQUIRE(other.wait([&] { return other.failures.size() >= 5; }));
    CHECK(there.failures.size() == count);
  }

  TEST_CASE("an address that cannot be had is one line that names it") {
    const auto line = [](const network_address& where) -> std::string {
      try {
        listen_on(where);
      } catch (const std::runtime_error& e) {
        return e.what();
      }
      return "listening";
    };
    const auto taken = listen_on({"127.0.0.1", 0});
    const auto port = local_port(taken);
    CHECK(line({"127.0.0.1", port}) ==
          "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use");
    CHECK(line({"192.0.2.1", 0}) ==
          "cannot listen on 192.0.2.1:0: Cannot assign requested address");
    CHECK(line({"no-such-host.invalid", 4}).starts_with("cannot listen on no-such-host.invalid:4"));
  }

  TEST_CASE("it ends at once, whatever is under way") {
    const auto begin = std::chrono::steady_clock::now();
    {
      connector c({300'000ms, 60'000ms, 60'000ms});
      inbox there;
      c.dial({"192.0.2.1", 9}, there.arrived(), there.failed());  // nobody ever answers there
      c.dial({"no-such-host.invalid", 1}, there.arrived(), there.failed());
    }
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
  }
}

}  // namespace

}  // namespace flamingo::link
