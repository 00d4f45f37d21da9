// What the committed signals of a window say, in integers, whoever lies about what.
#include "actors/load_monitor/load_monitor.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace flamingo;
using namespace flamingo::load_monitor;
using namespace std::chrono_literals;

namespace {

constexpr parameters four{4, 3, 10, 2};  // n, n - f, window and stability in rounds

header_signals said(std::uint16_t author, std::uint64_t round, time_point created,
                    std::uint64_t transactions,
                    std::optional<std::chrono::microseconds> delay = std::nullopt) {
  return {validator_id{author}, round_number{round}, created, delay, transactions};
}

/// Round r of everybody at r * 100 ms, `transactions` each; commit k is of round 2k - 1.
class feeder {
public:
  explicit feeder(core& logic) : logic_(logic) {}

  std::optional<window_report> commits(std::uint64_t count,
                                       const std::function<void(header_signals&)>& change = {}) {
    std::optional<window_report> last;
    for (; count > 0; --count) {
      commit_signals x{commit_index{++index_}, round_number{2 * index_ - 1}, {}};
      for (std::uint64_t r = 2 * index_ - 2; r < 2 * index_; ++r)
        for (std::uint16_t a = 0; a < 4 && r > 0; ++a) {
          x.headers.push_back(
              said(a, r, time_point{r * 100ms}, 100 * (a + 1u), std::chrono::microseconds(10 * a)));
          if (change) change(x.headers.back());
        }
      last = logic_.step(x).report;
    }
    return last;
  }

private:
  core& logic_;
  std::uint64_t index_ = 0;
};

}  // namespace

TEST_SUITE("load_monitor") {
  TEST_CASE("a window reports transactions a second and median delays") {
    core logic(four);
    const auto x = feeder(logic).commits(20);  // the anchor is of round 39
    REQUIRE(x);
    CHECK(x->first == round_number{28});
    CHECK(x->last == round_number{37});
    CHECK(x->headers == 40);
    CHECK(x->length == duration(1s));  // 10 rounds of 100 ms
    CHECK(x->validators[0].transactions == 1000);
    CHECK(x->validators[0].per_second == 1000);
    CHECK(x->validators[3].per_second == 4000);
    CHECK(x->validators[2].queue_delay == 20us);
    CHECK(x->median_queue_delay == 10us);  // lower: of 0, 10, 20, 30
    CHECK(x->median_per_second == 2000);
  }

  TEST_CASE("no more than a window's headers are kept") {
    core logic(four);
    feeder(logic).commits(200);
    CHECK(logic.headers_kept() == 4 * (10 + 2));
  }

  TEST_CASE("one liar's clock does not move the window's length beyond the others'") {
    for (const auto lie : {time_point::min(), time_point::max(), time_point{}}) {
      core logic(four);
      const auto x = feeder(logic).commits(20, [&](header_signals& y) {
        if (y.author == validator_id{2} && y.round.value % 3 == 0) y.created_at = lie;
      });
      CHECK(x->length == duration(1s));
    }
  }

  TEST_CASE("too few authors give no length and no rate") {
    core logic(four);
    const auto x = feeder(logic).commits(20, [](header_signals& y) {
      if (y.author.value >= 2) y.round = round_number{1};
    });
    CHECK(!x->length);
    CHECK(x->validators[0].per_second == 0);
    CHECK(x->validators[0].transactions == 1000);
  }

  TEST_CASE("absent delays are left out, not counted as 0") {
    core logic(four);
    const auto x = feeder(logic).commits(20, [](header_signals& y) {
      if (y.author == validator_id{0}) y.queue_delay.reset();
      if (y.author == validator_id{1} && y.round.value % 2 == 0) y.queue_delay.reset();
    });
    CHECK(!x->validators[0].queue_delay);
    CHECK(x->validators[1].queue_delay == 10us);
    CHECK(x->median_queue_delay == 20us);  // of 10, 20, 30
  }

  TEST_CASE("a commit that comes again is passed over, and so is an author that does not exist") {
    core logic(four);
    commit_signals x{commit_index{1}, round_number{3}, {said(0, 1, time_point{}, 5)}};
    CHECK(logic.step(x).report);
    CHECK(!logic.step(x).report);
    x.index = commit_index{2};
    x.headers = {said(9, 2, time_point{}, 5)};
    CHECK(logic.step(x).report);
    CHECK(logic.headers_kept() == 1);
  }

  TEST_CASE("rules that balance are refused in one line that names the setting") {
    CHECK(!refusal(balancing_rule::none));
    for (const auto rule : {balancing_rule::flamingo, balancing_rule::proxy}) {
      const auto line = refusal(rule);
      REQUIRE(line);
      CHECK(line->find("balancing = ") != std::string::npos);
      CHECK(line->find('\n') == std::string::npos);
    }
  }
}
