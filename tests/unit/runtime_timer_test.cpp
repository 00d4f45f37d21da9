// A shell's timer: a tick for each deadline, and never more and more of them.
#include <doctest/doctest.h>

// g++ 12 takes the value of an optional that it has inlined for read while it is empty.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "actors/runtime/timer.hpp"
#pragma GCC diagnostic pop

using namespace flamingo;
using namespace std::chrono_literals;

TEST_SUITE("runtime timer") {
  constexpr time_point t0{1h};

  TEST_CASE("a deadline arms one tick, however often it is asked for") {
    runtime::timer timer;
    CHECK(!timer.arm(t0, std::nullopt));
    CHECK(timer.arm(t0, t0 + 5ms) == duration{5ms});
    CHECK(!timer.arm(t0 + 1ms, t0 + 5ms));
    CHECK(!timer.arm(t0 + 1ms, t0 + 9ms));
    timer.fired(t0 + 5ms);
    CHECK(timer.arm(t0 + 5ms, t0 + 9ms) == duration{4ms});
  }

  TEST_CASE("a deadline in the past is now") {
    runtime::timer timer;
    CHECK(timer.arm(t0, t0 - 1s) == duration::zero());
  }

  TEST_CASE("a tick of an older, later deadline arms nothing new") {
    runtime::timer timer;
    CHECK(timer.arm(t0, t0 + 100ms));
    CHECK(timer.arm(t0, t0 + 50ms));
    timer.fired(t0 + 50ms);
    CHECK(timer.arm(t0 + 50ms, t0 + 110ms));
    timer.fired(t0 + 100ms);  // the first one
    CHECK(!timer.arm(t0 + 100ms, t0 + 110ms));
    timer.fired(t0 + 110ms);
    CHECK(timer.arm(t0 + 110ms, t0 + 120ms));
  }

  TEST_CASE("a tick that comes early by the clock does not leave the deadline without one") {
    runtime::timer timer;
    CHECK(timer.arm(t0, t0 + 100ms));
    timer.fired(t0 + 99ms);
    CHECK(timer.arm(t0 + 99ms, t0 + 100ms) == duration{1ms});
  }
}
