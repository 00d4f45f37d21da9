// Whole validators whose headers have little room: what clients offer is ordered all the same.
#include <doctest/doctest.h>

#include "actors/dag/limits.hpp"
#include "messages/account_counts.hpp"
#include "tests/sim/simulation.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim;

TEST_CASE("clients that act on more accounts at a time than a header has room for are answered") {
  constexpr std::uint32_t per_bundle = 5;
  scenario_options options;
  options.recipe = "calm";
  options.validators = 4;
  options.active = std::chrono::seconds(2);
  scenario plan = make_scenario(options);
  auto& rules = plan.world.protocol;
  rules.workers = 1;
  rules.max_bundles_per_batch = 512;
  rules.bundle_window = 512;
  rules.max_control_records = 1;
  rules.max_transactions_per_bundle = per_bundle;
  plan.world.accounts = rules.accounts = 4000;
  plan.world.local = world_options::locals::usual;
  const auto members = world::make_committee(plan.world);
  // As little as a committee file may say.
  rules.max_header_bytes -= static_cast<std::uint32_t>(dag::room_for_counts(*members, rules) -
                                                       counts_bytes_max(per_bundle));
  for (auto& x : plan.load) {
    x.rate = 10'000;
    x.transactions_per_bundle = per_bundle;
    x.bundle_delay = std::chrono::milliseconds(5);
    x.outstanding_bundles = 100;
    x.expiry_rounds = 5000;
  }
  const auto run = simulate(plan, {});
  for (const auto& x : run.found) FAIL_CHECK(x.property << ": " << x.what);
  CHECK(run.bundles > 100);
}

}  // namespace
