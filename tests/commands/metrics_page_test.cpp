// /metrics as it is served and as it is read back.
#include <doctest/doctest.h>

#include "apps/flamingo/local/free_ports.hpp"
#include "apps/flamingo/local/metrics_page.hpp"
#include "apps/flamingo/runtime/metrics_server.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

TEST_SUITE("metrics page") {
  TEST_CASE("what a server serves is read back") {
    runtime::metrics metrics(runtime::labels{{"validator", "v0"}});
    metrics.counter("flamingo_x_total", "X", {{"worker", "0"}}).Increment(3);
    metrics.counter("flamingo_x_total", "X", {{"worker", "1"}}).Increment(4);
    metrics.counter("flamingo_x_total_other", "Y").Increment(100);
    auto& latency = metrics.histogram("flamingo_latency_seconds", "L", {0.1, 0.2, 0.4});
    for (int i = 0; i < 50; ++i) latency.Observe(0.15);
    for (int i = 0; i < 50; ++i) latency.Observe(0.3);
    const runtime::metrics_server server({"127.0.0.1", 0}, metrics);
    const auto page = local::fetch_metrics({"127.0.0.1", server.port()}, 10s);
    REQUIRE(page);
    CHECK(local::sum_of(*page, "flamingo_x_total") == 7);
    CHECK_FALSE(local::sum_of(*page, "flamingo_y_total"));
    CHECK(local::sum_of(*page, "process_open_fds") > 0);
    const auto read = local::histogram_of(*page, "flamingo_latency_seconds");
    CHECK(read.counts == std::vector<double>{0, 50, 100, 100});
    CHECK(read.quantile(0.25) == doctest::Approx(0.15));
    CHECK(read.quantile(0.5) == doctest::Approx(0.2));
    CHECK(read.quantile(0.75) == doctest::Approx(0.3));
  }

  TEST_CASE("nobody there gives nothing within the time-out") {
    const auto port = local::free_ports(1).front();
    CHECK_FALSE(local::fetch_metrics({"127.0.0.1", port}, 200ms));
  }

  TEST_CASE("histograms of several processes add up and differ over time") {
    constexpr auto inf = std::numeric_limits<double>::infinity();
    local::histogram sum;
    CHECK_FALSE(sum.quantile(0.5));
    CHECK(sum.merge({{1, 2, inf}, {1, 2, 3}}));
    CHECK(sum.merge({{1, 2, inf}, {0, 10, 10}}));
    CHECK(sum.counts == std::vector<double>{1, 12, 13});
    CHECK_FALSE(sum.merge({{1, 3, inf}, {0, 10, 10}}));
    CHECK(sum.since({{1, 2, inf}, {1, 2, 3}}).counts == std::vector<double>{0, 10, 10});
    CHECK(sum.quantile(1) == 2.0);
  }
}
