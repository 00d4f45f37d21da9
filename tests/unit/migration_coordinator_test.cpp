// The assignment table, and which committed control records count.
#include "actors/migration_coordinator/migration_coordinator.hpp"

#include <doctest/doctest.h>

using namespace flamingo;
using namespace flamingo::migration_coordinator;

namespace {

committee two_clients() {
  committee x;
  x.clients.resize(2);
  x.clients[0].accounts = {{account_id{0}, account_id{100}}, {account_id{200}, account_id{300}}};
  x.clients[0].assignee = validator_id{2};
  x.clients[1].accounts = {{account_id{100}, account_id{150}}};
  x.clients[1].assignee = validator_id{0};
  return x;
}

constexpr parameters usual{50, 60, 1200};

committed at(std::uint64_t index, std::uint64_t round, std::vector<authored_record> records) {
  return {commit_index{index}, round_number{round}, std::move(records)};
}

authored_record by(std::uint16_t author, control_record x) {
  return {validator_id{author}, std::move(x)};
}

}  // namespace

TEST_SUITE("migration_coordinator") {
  TEST_CASE("the table gives each account to its client's assignee") {
    const assignment_table table(two_clients());
    CHECK(table.assignee(account_id{0}) == validator_id{2});
    CHECK(table.assignee(account_id{99}) == validator_id{2});
    CHECK(table.assignee(account_id{100}) == validator_id{0});
    CHECK(table.assignee(account_id{149}) == validator_id{0});
    CHECK(!table.assignee(account_id{150}));
    CHECK(!table.assignee(account_id{199}));
    CHECK(table.assignee(account_id{200}) == validator_id{2});
    CHECK(!table.assignee(account_id{300}));
    CHECK(table.version() == table_version{0});
  }

  TEST_CASE("at the start the workers hear of version 0 without moves") {
    core logic(usual, two_clients());
    const auto x = logic.step(started{});
    REQUIRE(x.assignment);
    CHECK(*x.assignment == assignment_update{});
  }

  TEST_CASE("one record of a kind, author and subject counts, however often it is carried") {
    core logic(usual, two_clients());
    const migration_decision decision{commit_index{3}, {}};
    auto x = logic.step(at(5, 9, {by(0, decision), by(1, decision), by(0, decision)}));
    CHECK(x.counted.size() == 2);
    CHECK(x.repeated == 1);
    x = logic.step(
        at(6, 11, {by(1, decision), by(1, migration_acceptance{commit_index{3}, {}, true})}));
    CHECK(x.counted.size() == 1);
    CHECK(x.repeated == 1);
    migration_decision other = decision;
    other.decision.bytes[0] = 1;  // a second opinion on the same anchor does not count
    CHECK(logic.step(at(7, 13, {by(0, other)})).counted.empty());
    CHECK(logic.step(at(8, 15, {by(0, migration_decision{commit_index{4}, {}})})).counted.size() ==
          1);
  }

  TEST_CASE("records about what is not committed yet, or over, are refused") {
    core logic(usual, two_clients());
    const auto refused = [&](control_record x) {
      const auto fx = logic.step(at(60, 119, {by(0, std::move(x))}));
      CHECK(fx.counted.size() + fx.rejected.size() == 1);
      return fx.rejected == std::vector{reject::bad_control_record};
    };
    CHECK(refused(migration_decision{commit_index{60}, {}}));
    CHECK(refused(migration_decision{commit_index{0}, {}}));
    CHECK(!refused(migration_decision{commit_index{59}, {}}));
    CHECK(refused(migration_acceptance{commit_index{61}, {}, true}));
    CHECK(refused(checkpoint{commit_index{49}, {}, {}}));
    CHECK(refused(checkpoint{commit_index{100}, {}, {}}));
    CHECK(!refused(checkpoint{commit_index{50}, {}, {}}));
    CHECK(refused(capacity_declaration{0, 100}));
    CHECK(!refused(capacity_declaration{1, 100}));
    CHECK(!refused(halt{}));
  }

  TEST_CASE("what is over is forgotten") {
    core logic(usual, two_clients());
    for (std::uint64_t i = 2; i < 500; ++i)
      logic.step(at(i, 2 * i, {by(0, migration_decision{commit_index{i - 1}, {}})}));
    CHECK(logic.remembered() <= 31);
  }
}
