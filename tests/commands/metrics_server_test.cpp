// /metrics as Prometheus and as strangers meet it.
#include "apps/flamingo/runtime/metrics_server.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/local/metrics_page.hpp"

using namespace flamingo;
using namespace std::chrono_literals;

namespace {

link::socket_handle connected(std::uint16_t port) {
  auto out = link::start_connect(link::resolve_number({"127.0.0.1", port})->endpoints.at(0));
  REQUIRE(bool(out));
  ::fcntl(out.get(), F_SETFL, ::fcntl(out.get(), F_GETFL) & ~O_NONBLOCK);
  const timeval patient{20, 0};
  ::setsockopt(out.get(), SOL_SOCKET, SO_RCVTIMEO, &patient, sizeof patient);
  return out;
}

bool say(const link::socket_handle& to, const std::string& text) {
  return ::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

/// All that comes until the other end closes.
std::string heard(const link::socket_handle& from) {
  std::string out;
  char some[4096];
  for (ssize_t n = 0; (n = ::recv(from.get(), some, sizeof some, 0)) > 0;)
    out.append(some, static_cast<std::size_t>(n));
  return out;
}

struct served {
  served() { metrics.counter("flamingo_some_total", "Some").Increment(3); }
  runtime::metrics metrics{runtime::labels{{"validator", "v0"}}};
  runtime::metrics_server server{{"127.0.0.1", 0}, metrics};

  std::optional<std::string> scrape() {
    return local::fetch_metrics({"127.0.0.1", server.port()}, 20s);
  }
};

}  // namespace

TEST_SUITE("metrics server") {
  TEST_CASE("a busy port is one line that names the address and the key") {
    runtime::metrics metrics(runtime::labels{{"validator", "v0"}});
    const runtime::metrics_server first({"127.0.0.1", 0}, metrics);
    CHECK(first.port() != 0);
    try {
      runtime::metrics_server second({"127.0.0.1", first.port()}, metrics);
      FAIL("a second server took the port");
    } catch (const config::error& e) {
      CHECK(std::string(e.what()).find("127.0.0.1:" + std::to_string(first.port())) !=
            std::string::npos);
      CHECK(std::string(e.what()).starts_with("metrics: "));
      CHECK(std::string(e.what()).find("--metrics") != std::string::npos);
    }
  }

  TEST_CASE("a scrape has what the process counts, and any other request says where that is") {
    served x;
    const auto page = x.scrape();
    REQUIRE(page);
    CHECK(local::sum_of(*page, "flamingo_some_total") == 3);
    CHECK(local::sum_of(*page, "process_open_fds").value_or(0) > 0);
    const auto answer = [&](const std::string& request) {
      const auto to = connected(x.server.port());
      REQUIRE(say(to, request));
      return heard(to);
    };
    CHECK(answer("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    CHECK(answer("GET /metrics/x HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
    CHECK(answer("POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
    CHECK(answer("GET\r\n\r\n").starts_with("HTTP/1.1 405 "));
    CHECK(answer("GET /metrics?name=x HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 200 "));
    CHECK(answer(std::string(x.server.request_bytes_max + 1, 'x')).empty());
  }

  TEST_CASE("connections that say nothing, however many, keep no scrape waiting") {
    served x;
    std::vector<link::socket_handle> idle;
    for (int i = 0; i < 300; ++i) {
      idle.push_back(connected(x.server.port()));
      if (i % 2 == 0) REQUIRE(say(idle.back(), "GET /metrics HTT"));
    }
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 5; ++i) CHECK(x.scrape());
    // None of them had to be waited for.
    CHECK(std::chrono::steady_clock::now() - start < x.server.request_timeout);
    CHECK(heard(idle.front()).empty());  // the oldest made room
    CHECK(say(idle.back(), "P/1.1\r\n\r\n"));
  }

  TEST_CASE("a scrape that comes in pieces is answered") {
    served x;
    const auto to = connected(x.server.port());
    for (const char c : std::string("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"))
      REQUIRE(say(to, std::string(1, c)));
    CHECK(heard(to).find("flamingo_some_total{validator=\"v0\"} 3") != std::string::npos);
  }

  TEST_CASE("who takes no answers makes no scrape wait") {
    served x;
    for (int i = 0; i < 2000; ++i)
      x.metrics.counter("flamingo_many_total", "Many", {{"n", std::to_string(i)}});
    std::vector<link::socket_handle> deaf;
    for (std::size_t i = 0; i < 2 * x.server.connections_max; ++i) {
      deaf.push_back(connected(x.server.port()));
      say(deaf.back(), "GET /metrics HTTP/1.1\r\n\r\n");
    }
    CHECK(x.scrape());
  }
}
