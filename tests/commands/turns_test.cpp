// How CAF shares its threads among actors in every process of ours.
#include <doctest/doctest.h>

#include <caf/all.hpp>
#include <future>

#include "apps/flamingo/runtime/actor_system_settings.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

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
    auto answer = seen.get_future();
    REQUIRE(answer.wait_for(60s) == std::future_status::ready);
    CHECK(answer.get() <= 100);
    caf::anon_send_exit(first, caf::exit_reason::kill);
    caf::anon_send_exit(second, caf::exit_reason::kill);
  }
}
