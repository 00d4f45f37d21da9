// How long whoever talks in vain is not listened to.
#include <doctest/doctest.h>

#include "actors/link/patience.hpp"

namespace flamingo::link {

namespace {

using namespace std::chrono_literals;

constexpr peer honest{peer::kind::validator, 1}, liar{peer::kind::validator, 2};

constexpr std::uint32_t frames = 10'000, vain_frames = 100;

TEST_SUITE("link patience") {
  TEST_CASE("a second's worth in vain is put up with, and beyond it a peer is not listened to") {
    patience x(frames, vain_frames);
    const patience::time now{1000s};
    x.charge(liar, 0, 0, now);
    CHECK_FALSE(x.distrusts(liar, now));
    x.charge(liar, vain_frames, vain_frames, now);
    CHECK(x.distrusts(liar, now));
    CHECK(x.quiet_until(liar) <= now);
    x.charge(liar, 1, 1, now);
    CHECK(x.quiet_until(liar) == now + 10ms);
    CHECK(x.quiet_until(honest) <= now);
    CHECK_FALSE(x.distrusts(honest, now));
    CHECK_FALSE(x.distrusts(liar, now + 1010ms));
  }

  TEST_CASE("whoever says too much is read at the rate, and not distrusted for it") {
    for (const bool in_vain : {false, true}) {
      patience x(frames, vain_frames);
      patience::time now{1000s};
      const auto began = now;
      const std::uint64_t rate = in_vain ? vain_frames : frames;
      std::uint64_t heard = 0;
      while (now < began + 100s) {
        if (x.quiet_until(liar) <= now) {
          x.charge(liar, 30, in_vain ? 30 : 0, now);
          heard += 30;
        }
        now += 1ms;
      }
      CHECK(heard >= 99 * rate);
      CHECK(heard <= 102 * rate);
      CHECK(x.distrusts(liar, now) == in_vain);
    }
  }

  TEST_CASE("a burst of any size is forgotten within seconds") {
    patience x(frames, vain_frames);
    const patience::time now{1000s};
    x.charge(liar, ~std::uint64_t{0}, 1'000'000, now);
    x.charge(liar, 1'000'000, ~std::uint64_t{0}, now);
    CHECK(x.quiet_until(liar) == now + patience::longest);
  }
}

}  // namespace

}  // namespace flamingo::link
