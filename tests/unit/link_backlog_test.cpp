// How a link learns that its role is behind, and that it has caught up.
#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "actors/link/backlog.hpp"
#include "messages/frame.hpp"
#include "messages/schema/link.capnp.h"

namespace flamingo::link {

namespace {

constexpr auto overhead = backlog::frame_overhead;

TEST_SUITE("link backlog") {
  TEST_CASE("it holds beyond the most, and wakes once when half is left") {
    int woken = 0;
    const auto b = std::make_shared<backlog>(10 * (100 + overhead), [&] { ++woken; });
    std::vector<std::shared_ptr<const frame_origin>> frames;
    for (int i = 0; i < 10; ++i) frames.push_back(b->add(100));
    CHECK_FALSE(b->hold());
    frames.push_back(b->add(100));
    CHECK(b->hold());
    while (frames.size() > 6) frames.pop_back();
    CHECK(woken == 0);
    CHECK(b->held());
    frames.pop_back();
    CHECK(woken == 1);
    CHECK_FALSE(b->held());
    frames.clear();
    CHECK(woken == 1);
    CHECK(b->bytes() == 0);
  }

  TEST_CASE("a message is handled when its last copy is gone, whoever keeps its bytes") {
    const auto b = std::make_shared<backlog>(1000, [] {});
    shared_bytes kept;
    {
      wire<schema::Hello> first(shared_bytes(std::vector<char>(64)), b->add(64));
      const auto second = first;
      kept = first.bytes();
      first = {};
      CHECK(b->bytes() == 64 + overhead);
    }
    CHECK(b->bytes() == 0);
    CHECK(kept.size() == 64);
  }

  TEST_CASE("what is in vain is counted once, and its peer may have little unhandled") {
    int woken = 0;
    const auto b = std::make_shared<backlog>(100 * overhead, [&] { ++woken; });
    std::vector<wire<schema::Hello>> messages;
    for (int i = 0; i < 20; ++i)
      messages.emplace_back(shared_bytes(std::vector<char>(8)), b->add(8));
    messages[0].in_vain();
    messages[1].in_vain();
    wire<schema::Hello>(shared_bytes(std::vector<char>(8))).in_vain();  // from nowhere
    CHECK(b->take_vain() == 2);
    CHECK(b->take_vain() == 0);
    CHECK_FALSE(b->hold());
    CHECK(b->hold(true));
    while (b->bytes() > backlog::distrusted_bytes / 2) {
      CHECK(woken == 0);
      messages.pop_back();
    }
    CHECK(woken == 1);
  }

  TEST_CASE("no wake-up is lost however two threads meet") {
    for (int round = 0; round < 300; ++round) {
      std::atomic<int> woken = 0;
      const auto b = std::make_shared<backlog>(0, [&] { ++woken; });
      auto frame = b->add(1);
      std::thread role([&] { frame.reset(); });
      const bool holds = b->hold();
      role.join();
      CHECK(woken == (holds ? 1 : 0));
      CHECK_FALSE(b->held());
    }
  }
}

}  // namespace

}  // namespace flamingo::link
