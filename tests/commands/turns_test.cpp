// How CAF shares its threads in every process of ours: among actors, and among links.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <caf/all.hpp>
#include <caf/io/all.hpp>
#include <future>

#include "apps/flamingo/runtime/actor_system_settings.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

template <class T>
T got(std::future<T> x) {
  REQUIRE(x.wait_for(60s) == std::future_status::ready);
  return x.get();
}

/// Counts what it is told, and does not begin before `go`.
caf::behavior busy(caf::event_based_actor*, std::shared_future<void> go, unsigned* told) {
  return {[go, told](unsigned) {
    go.wait();
    ++*told;
  }};
}

/// Tells how far the busy one is when its own turn comes.
caf::behavior other(caf::event_based_actor*, const unsigned* told, std::promise<unsigned>* seen) {
  return {[told, seen](unsigned) { seen->set_value(*told); }};
}

/// Calls `on_read` for each read from a socket, of at most 1 KiB.
caf::behavior reader(caf::io::broker* self, int socket, std::function<void()> on_read) {
  self->configure_read(self->add_scribe(socket), caf::io::receive_policy::at_most(1024));
  return {[on_read](const caf::io::new_data_msg&) { on_read(); },
          [](const caf::io::connection_closed_msg&) {}};
}

/// A process of ours whose network thread waits until it may go on. It has read from one socket,
/// and has much to read from it.
struct held_network {
  held_network() {
    std::promise<void> first;
    spawn_reader(0, [this, &first, is_first = true]() mutable {
      if (std::exchange(is_first, false))
        first.set_value();
      else
        ++reads;
    });
    write(0, 1);
    got(first.get_future());
  }
  ~held_network() {
    for (const auto& x : brokers) caf::anon_send_exit(x, caf::exit_reason::kill);
    for (const auto& x : sockets)
      if (x[1] >= 0) ::close(x[1]);
  }
  void spawn_reader(std::size_t i, std::function<void()> on_read) {
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets[i].data()) == 0);
    brokers.push_back(system.middleman().spawn_broker(reader, sockets[i][0], std::move(on_read)));
  }
  void write(std::size_t i, std::size_t bytes) {
    const std::vector<char> some(bytes, 'x');
    REQUIRE(::write(sockets[i][1], some.data(), bytes) == static_cast<long>(bytes));
  }
  void hold() {
    std::promise<void> held;
    system.middleman().run_later([&] {
      held.set_value();
      go.get_future().wait();
    });
    got(held.get_future());
    write(0, 64 << 10);
  }

  runtime::actor_system_settings settings{{.threads = 1}};
  caf::actor_system system{settings};
  std::array<std::array<int, 2>, 2> sockets{{{-1, -1}, {-1, -1}}};
  std::vector<caf::actor> brokers;
  std::promise<void> go;
  unsigned reads = 0;  // by the network thread alone
};

}  // namespace

TEST_SUITE("turns") {
  TEST_CASE("an actor with a full mailbox keeps no other waiting, also with one thread") {
    constexpr unsigned many = 10'000;
    runtime::actor_system_settings settings({.threads = 1});
    caf::actor_system system(settings);
    std::promise<void> go;
    std::promise<unsigned> seen;
    unsigned told = 0;  // by the one thread alone
    const auto first = system.spawn(busy, go.get_future().share(), &told);
    const auto second = system.spawn(other, &told, &seen);
    for (unsigned i = 0; i < many; ++i) caf::anon_send(first, i);
    caf::anon_send(second, 0u);
    go.set_value();
    CHECK(got(seen.get_future()) <= 100);
    caf::anon_send_exit(first, caf::exit_reason::kill);
    caf::anon_send_exit(second, caf::exit_reason::kill);
  }

  TEST_CASE("a link with much to read keeps no other waiting") {
    std::promise<unsigned> seen;
    held_network x;
    std::promise<void> ready;
    x.spawn_reader(1, [&, is_first = true]() mutable {
      if (std::exchange(is_first, false))
        ready.set_value();
      else
        seen.set_value(x.reads);
    });
    x.write(1, 1);
    got(ready.get_future());
    x.hold();
    x.write(1, 1);
    x.go.set_value();
    CHECK(got(seen.get_future()) <= 3);
  }

  TEST_CASE("what other threads have for the network's thread is taken over at once") {
    std::promise<unsigned> seen;
    held_network x;
    x.hold();
    for (int i = 0; i < 100; ++i) x.system.middleman().run_later([] {});
    x.system.middleman().run_later([&] { seen.set_value(x.reads); });
    x.go.set_value();
    CHECK(got(seen.get_future()) <= 3);
  }

  TEST_CASE("who has more for the network's thread than a pipe holds need not wait for it") {
    constexpr unsigned many = 100'000;
    std::promise<unsigned> seen;
    held_network x;
    x.hold();
    auto all_said = std::async(std::launch::async, [&] {
      for (unsigned i = 0; i < many; ++i)
        x.system.middleman().run_later([&, i] {
          if (i + 1 == many) seen.set_value(many);
        });
    });
    const bool waited = all_said.wait_for(60s) != std::future_status::ready;
    x.go.set_value();
    CHECK(!waited);
    CHECK(got(seen.get_future()) == many);
  }
}
