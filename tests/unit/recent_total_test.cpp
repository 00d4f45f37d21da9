// What a count was a second ago.
#include <doctest/doctest.h>

#include "actors/committer/recent_total.hpp"

using namespace flamingo;
using namespace std::chrono_literals;
using committer::recent_total;

TEST_SUITE("recent total") {
  constexpr time_point t0{1h};

  TEST_CASE("a count is compared with what it was a second ago, or at the start") {
    recent_total x;
    CHECK_FALSE(x.before(t0));
    x.note(t0, 500);
    CHECK_FALSE(x.before(t0));
    CHECK(x.before(t0 + 300ms) == recent_total::earlier{500, 300ms});
    x.note(t0 + 400ms, 700);
    CHECK(x.before(t0 + 500ms) == recent_total::earlier{500, 500ms});
    CHECK(x.before(t0 + 1399ms) == recent_total::earlier{500, 1s});
    CHECK(x.before(t0 + 1400ms) == recent_total::earlier{700, 1s});
    x.note(t0 + 10s, 900);
    CHECK(x.before(t0 + 10s) == recent_total::earlier{700, 1s});
    CHECK(x.before(t0 + 1h) == recent_total::earlier{900, 1s});
  }

  TEST_CASE("however often a count changes, little of it is kept and a rate is right") {
    recent_total x;
    std::size_t most = 0;
    x.note(t0, 0);
    for (std::uint64_t i = 1; i <= 5000; ++i) {  // one a millisecond
      x.note(t0 + i * 1ms, i);
      most = std::max(most, x.kept());
    }
    CHECK(most <= 60);
    const auto earlier = x.before(t0 + 5s);
    REQUIRE(earlier);
    CHECK(earlier->ago == 1s);
    CHECK(5000 - earlier->total >= 1000);
    CHECK(5000 - earlier->total <= 1020);
  }
}
