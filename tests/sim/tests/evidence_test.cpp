// Whole validators and an equivocator: what the operator is told of it.
#include <doctest/doctest.h>

#include "tests/sim/byzantine/equivocator.hpp"
#include "tests/sim/operator_watch.hpp"
#include "tests/sim/world.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;
using namespace std::chrono_literals;

/// The newest report of each validator.
struct told final : tap {
  using tap::arrived;
  void arrived(link::peer from, link::peer, const operator_frame& x) override {
    const auto message = decode(x);
    if (const auto* report = message ? std::get_if<status_report>(&*message) : nullptr)
      reports[from.index] = *report;
  }
  std::map<std::uint32_t, status_report> reports;
};

world_options four_validators() {
  world_options x;
  x.seed = 11;
  x.clients = 0;
  return x;
}

struct watched_world : world {
  watched_world() : world(four_validators()), asking(*this, 4) { net().listen_in(heard); }

  void run(duration time) {
    for (std::uint16_t v = 0; v < 4; ++v) start(validator_id{v});
    run_for(time);
    asking.ask();
    run_for(1s);
  }

  told heard;
  operator_watch asking;
};

TEST_CASE("an equivocator that shows each validator one header is told of to the operator") {
  const validator_id liar{3};
  watched_world x;
  // Its second header gets a quorum of votes: its own and those of validators 0 and 1. Validator 2
  // voted for the first one, and meets the certified second.
  x.net().corrupt(x.host_of(liar), std::make_shared<byzantine::equivocator>(
                                       byzantine::insider{liar, world::make_committee(x.options()),
                                                          x.options().protocol,
                                                          world::signer_of("v3"), random_source(1)},
                                       std::set{validator_id{0}, validator_id{1}}));
  x.run(5s);
  REQUIRE(x.heard.reports.size() == 4);
  const auto& evidence = x.heard.reports.at(2).evidence;
  REQUIRE(evidence.kept.size() == 4);
  CHECK(evidence.kept[liar.value] > 0);
  REQUIRE(!evidence.newest.empty());
  for (const auto& y : evidence.newest) {
    CHECK(y.author == liar);
    CHECK(y.round.value > 0);
    CHECK(y.first != y.second);
  }
  // Nobody is accused who did nothing.
  for (const auto& [v, report] : x.heard.reports)
    for (std::uint16_t author = 0; author < liar.value; ++author)
      CHECK(report.evidence.kept[author] == 0);
}

TEST_CASE("honest validators leave no evidence") {
  watched_world x;
  x.run(5s);
  REQUIRE(x.heard.reports.size() == 4);
  for (const auto& [v, report] : x.heard.reports) {
    CHECK(report.index.value > 0);
    CHECK(report.evidence == evidence_report{{0, 0, 0, 0}, {}});
  }
}

}  // namespace
