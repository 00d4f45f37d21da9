// Bounds of link settings, and who makes room for whom.
#include <doctest/doctest.h>

#include "actors/link/roster.hpp"
#include "actors/link/settings.hpp"

namespace flamingo::link {

namespace {

using namespace std::chrono_literals;

TEST_SUITE("link settings") {
  TEST_CASE("the defaults are within their bounds") {
    CHECK_FALSE(out_of_bounds(settings{}));
  }

  TEST_CASE("a value out of its bounds is one line that names it and them") {
    settings s;
    s.in_flight_bytes = 1;
    CHECK(out_of_bounds(s) == "link setting in_flight_bytes is 1, expected 65536 to 67108864");
    s = {};
    s.idle_timeout = s.ping_interval;
    CHECK(out_of_bounds(s) == "link setting idle_timeout is 2000 ms, expected 2001 to 600000 ms");
    s = {};
    s.retry_max = s.retry_min - 1ms;
    CHECK(out_of_bounds(s) == "link setting retry_max is 99 ms, expected 100 to 600000 ms");
    s = {};
    s.emulate.to[{peer::kind::validator, 3}].loss_per_mille = 1001;
    CHECK(
        out_of_bounds(s) ==
        "link setting emulation.validator-3.loss is 1001 per mille, expected 0 to 1000 per mille");
    s = {};
    s.emulate.all.jitter = 1us;
    CHECK(out_of_bounds(s) == "link setting emulation.jitter is 1 us, expected 0 to 0 us");
  }
}

// Who was asked to end, and why.
struct asked {
  std::vector<std::pair<roster::id, ending>> all;
  std::size_t strangers = 0;

  roster::id join(roster& r, bool accepted = true) {
    const auto id = r.begin(accepted);
    REQUIRE(id);
    r.introduce(*id, [this, id](ending why) { all.emplace_back(*id, why); });
    return *id;
  }
};

TEST_SUITE("link roster") {
  TEST_CASE("the oldest stranger makes room for the newest") {
    asked who;
    roster r(3, 1, [&](std::size_t n) { who.strangers = n; });
    std::vector<roster::id> ids;
    for (int i = 0; i < 3; ++i) ids.push_back(who.join(r));
    CHECK(who.all.empty());
    CHECK(who.strangers == 3);
    r.up(ids[0], {peer::kind::client, 0});  // no stranger any more
    ids.push_back(who.join(r));
    CHECK(who.all.empty());
    ids.push_back(who.join(r));
    REQUIRE(who.all.size() == 1);
    CHECK(who.all[0] == std::pair{ids[1], ending::crowded_out});
    CHECK(who.strangers == 3);
  }

  TEST_CASE("while too many strangers are leaving, nobody else comes in") {
    asked who;
    roster r(2, 1, [&](std::size_t n) { who.strangers = n; });
    std::vector<roster::id> ids;
    for (std::size_t i = 0; i < 2 + roster::most_leaving; ++i) ids.push_back(who.join(r));
    CHECK(who.all.size() == roster::most_leaving);
    CHECK_FALSE(r.begin(true));
    CHECK(who.all.size() == roster::most_leaving);
    CHECK(who.strangers == 2);
    CHECK(r.begin(false));  // who is dialled is no stranger
    r.gone(ids[0]);
    CHECK(who.join(r) > ids.back());
    CHECK(who.all.size() == roster::most_leaving + 1);
  }

  TEST_CASE("a peer's oldest link makes room for its newest, and for nobody else's") {
    asked who;
    roster r(10, 2, [](std::size_t) {});
    std::vector<roster::id> ids;
    for (int i = 0; i < 3; ++i) {
      ids.push_back(who.join(r));
      r.up(ids.back(), {peer::kind::client, 0});
      r.up(who.join(r), {peer::kind::client, std::uint32_t(i) + 1});
    }
    REQUIRE(who.all.size() == 1);
    CHECK(who.all[0] == std::pair{ids[0], ending::replaced});
    r.gone(ids[0]);
    r.gone(ids[1]);
    r.up(who.join(r), {peer::kind::client, 0});
    CHECK(who.all.size() == 1);
  }

  TEST_CASE("links that we dialled are neither strangers nor replaced") {
    asked who;
    roster r(1, 1, [&](std::size_t n) { who.strangers = n; });
    for (int i = 0; i < 5; ++i) r.up(who.join(r, false), {peer::kind::validator, 0});
    CHECK(who.all.empty());
    CHECK(who.strangers == 0);
  }

  TEST_CASE("one that is asked before it can be told is told as soon as it can") {
    roster r(1, 1, [](std::size_t) {});
    const auto early = r.begin(true);
    REQUIRE(early);
    REQUIRE(r.begin(true));
    std::optional<ending> why;
    r.introduce(*early, [&](ending w) { why = w; });
    CHECK(why == ending::crowded_out);
  }

  TEST_CASE("dismissing all asks each once and lets nobody in afterwards") {
    asked who;
    roster r(10, 10, [](std::size_t) {});
    const auto a = who.join(r), b = who.join(r, false);
    r.dismiss_all();
    r.dismiss_all();
    CHECK(who.all == decltype(who.all){{a, ending::stopped}, {b, ending::stopped}});
    CHECK_FALSE(r.begin(true));
    CHECK_FALSE(r.wait_until_empty(std::chrono::steady_clock::now()));
    r.gone(a);
    r.gone(b);
    CHECK(r.wait_until_empty(std::chrono::steady_clock::now()));
  }
}

}  // namespace

}  // namespace flamingo::link
