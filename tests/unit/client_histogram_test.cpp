// actors/client/latency_histogram.
#include <doctest/doctest.h>

#include "actors/client/latency_histogram.hpp"

using namespace flamingo::client;
using std::chrono::microseconds;

TEST_SUITE("client histogram") {
  TEST_CASE("a percentile is off by at most a 32nd") {
    latency_histogram h;
    for (int i = 1; i <= 100'000; ++i) h.add(microseconds(i * 7));
    for (const std::uint64_t per_mille : {1, 10, 500, 900, 990, 999}) {
      const double exact = 700.0 * static_cast<double>(per_mille);
      const double got = static_cast<double>(h.at_per_mille(per_mille).count());
      CHECK(got >= exact);
      CHECK(got <= exact * (1 + 1.0 / 32) + 1);
    }
    CHECK(h.at_per_mille(1000) == microseconds(700'000));
    CHECK(h.count() == 100'000);
  }

  TEST_CASE("small latencies are exact and negative ones count as none") {
    latency_histogram h;
    for (int i = 0; i < 64; ++i) h.add(microseconds(i));
    CHECK(h.at_per_mille(500) == microseconds(31));
    latency_histogram early;
    early.add(microseconds(-5));
    CHECK(early.max() == microseconds(0));
    CHECK(latency_histogram{}.at_per_mille(500) == microseconds(0));
  }

  TEST_CASE("every value up to an hour falls into a bucket that holds it") {
    for (std::int64_t us = 1; us < 3'600'000'000; us = us * 9 / 8 + 1) {
      latency_histogram h;
      h.add(microseconds(us));
      h.add(microseconds(10'000'000'000));
      const auto end = h.at_per_mille(500).count();
      CHECK(end >= us);
      CHECK(end <= us + us / 32 + 1);
    }
  }

  TEST_CASE("histograms merge, and survive being taken apart") {
    latency_histogram a, b;
    a.add(microseconds(10), 3);
    b.add(microseconds(100'000), 2);
    a.merge(b);
    CHECK(a.count() == 5);
    CHECK(a.sum() == microseconds(200'030));
    CHECK(latency_histogram::from(a.counts(), a.max(), a.sum()) == a);
  }
}
