// What waits to leave a link, and the path that emulation pretends.
#include <doctest/doctest.h>

#include "actors/link/egress_queue.hpp"
#include "actors/link/emulated_path.hpp"

namespace flamingo::link {

namespace {

using namespace std::chrono_literals;
using time = emulated_path::time;

shared_bytes frame(std::size_t size) {
  return shared_bytes(std::vector<char>(size));
}

constexpr auto overhead = egress_queue::frame_overhead;

TEST_SUITE("link egress queue") {
  TEST_CASE("consensus leaves before batches before sync, each in order") {
    egress_queue queue(1 << 20);
    queue.push(link_priority::sync, frame(31));
    queue.push(link_priority::batches, frame(21));
    queue.push(link_priority::consensus, frame(11));
    queue.push(link_priority::batches, frame(22));
    queue.push(link_priority::consensus, frame(12));
    std::vector<std::size_t> sizes;
    while (const auto f = queue.pop()) sizes.push_back(f->size());
    CHECK(sizes == std::vector<std::size_t>{11, 12, 21, 22, 31});
    CHECK(queue.bytes() == 0);
  }

  TEST_CASE("the bound holds, and what overflows is counted by priority") {
    egress_queue queue(10 * (1000 + overhead));
    for (int i = 0; i < 25; ++i) queue.push(link_priority::batches, frame(1000));
    CHECK(queue.frames() == 10);
    CHECK(queue.bytes() == 10 * (1000 + overhead));
    CHECK(queue.take_dropped()[1] == 15);
    CHECK(queue.take_dropped()[1] == 0);
  }

  TEST_CASE("many empty frames are bounded too") {
    egress_queue queue(10 * overhead);
    for (int i = 0; i < 25; ++i) queue.push(link_priority::consensus, {});
    CHECK(queue.frames() == 10);
  }

  TEST_CASE("a consensus frame takes the room of the least important frames, newest first") {
    egress_queue queue(4 * (1000 + overhead));
    queue.push(link_priority::batches, frame(1000));
    queue.push(link_priority::sync, frame(999));
    queue.push(link_priority::sync, frame(998));
    queue.push(link_priority::batches, frame(997));
    queue.push(link_priority::consensus, frame(1000));
    CHECK(queue.take_dropped() == std::array<std::uint64_t, 3>{0, 0, 1});
    queue.push(link_priority::consensus, frame(1000));
    CHECK(queue.take_dropped() == std::array<std::uint64_t, 3>{0, 0, 1});
    queue.push(link_priority::consensus, frame(1000));
    CHECK(queue.take_dropped() == std::array<std::uint64_t, 3>{0, 1, 0});
    std::vector<std::size_t> sizes;
    while (const auto f = queue.pop()) sizes.push_back(f->size());
    CHECK(sizes == std::vector<std::size_t>{1000, 1000, 1000, 1000});
  }

  TEST_CASE("a frame that could not fit anyway pushes nothing out") {
    egress_queue queue(2000);
    queue.push(link_priority::consensus, frame(1000));
    queue.push(link_priority::sync, frame(100));
    queue.push(link_priority::batches, frame(1500));
    CHECK(queue.frames() == 2);
    CHECK(queue.take_dropped() == std::array<std::uint64_t, 3>{0, 1, 0});
  }
}

TEST_SUITE("link emulation") {
  TEST_CASE("a rate spaces frames by their size") {
    emulation e;
    e.rate_bits = 8'000'000;  // a byte a microsecond
    emulated_path path(e, 1 << 20, 1);
    const time start{1h};
    path.enter(frame(1000), start - 10s);  // long ago: its time on the wire is over
    REQUIRE(path.leave(start - 5s));
    time now = start;
    std::vector<time> arrived;
    for (int sent = 0; arrived.size() < 10; now += 100us) {
      while (sent < 10 && path.free(now)) {
        path.enter(frame(1000), now);
        ++sent;
      }
      while (path.leave(now)) arrived.push_back(now);
    }
    // Up to 2 ms are caught up after a pause; then 1 ms a frame.
    CHECK(arrived.back() - start >= 7ms);
    CHECK(arrived.back() - start <= 11ms);
    CHECK(arrived[9] - arrived[5] == 4ms);
  }

  TEST_CASE("a delay delays and jitter keeps frames in order") {
    emulation e;
    e.delay = 50ms;
    e.jitter = 40ms;
    emulated_path path(e, 1 << 20, 2);
    const time start{1h};
    std::size_t sent = 0, expected = 1;
    bool early = false, late = false;
    for (auto now = start; expected <= 100; now += 1ms) {
      if (sent < 100 && (now - start) % 30ms == 0ms) path.enter(frame(++sent), now);
      while (const auto f = path.leave(now)) {
        const auto took = now - (start + (expected - 1) * 30ms);
        CHECK(f->size() == expected++);
        CHECK(took >= 10ms);
        CHECK(took <= 91ms);
        early = early || took < 40ms;
        late = late || took > 60ms;
      }
    }
    CHECK(early);
    CHECK(late);
  }

  TEST_CASE("loss loses about as many as it should, and all of them at 1000 per mille") {
    const time now{1h};
    for (const std::uint32_t loss : {0u, 100u, 1000u}) {
      emulation e;
      e.loss_per_mille = loss;
      emulated_path path(e, 1 << 30, 3);
      for (int i = 0; i < 10'000; ++i) path.enter(frame(1), now);
      std::uint64_t arrived = 0;
      while (path.leave(now + 1s)) ++arrived;
      const auto lost = path.take_lost();
      CHECK(arrived + lost == 10'000);
      CHECK(lost >= loss * 9);
      CHECK(lost <= loss * 11);
      CHECK(path.take_lost() == 0);
    }
  }

  TEST_CASE("what is on the way is bounded") {
    emulation e;
    e.delay = 1s;
    emulated_path path(e, 10'000, 4);
    const time now{1h};
    int entered = 0;
    while (path.free(now)) {
      path.enter(frame(1000), now);
      ++entered;
    }
    CHECK(entered == 10);
    CHECK(path.next(now) == now + 1s);
    REQUIRE(path.leave(now + 1s));
    CHECK(path.free(now + 1s));
  }
}

}  // namespace

}  // namespace flamingo::link
