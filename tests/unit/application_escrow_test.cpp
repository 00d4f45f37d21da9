// The example application of docs/applications.md does what its head says, and any group of
// executors does the same.
#include "tests/unit/application_loads.hpp"
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

constexpr std::uint64_t accounts = 40;
constexpr std::int64_t genesis_cents = 300;

std::shared_ptr<const escrow::ledger> rules() {
  return std::make_shared<escrow::ledger>(accounts, genesis_cents);
}

/// One ledger, used by hand.
struct desk {
  std::shared_ptr<const escrow::ledger> ledger = rules();
  serial_execution state{ledger};

  result_code run(std::uint64_t account, const std::vector<byte>& operation) {
    return state.run({account_id{account}, operation, false});
  }
  std::int64_t cents(std::uint64_t account) {
    return escrow::read_holding(state.value(account)).cents;
  }
  escrow::holding deal(std::uint64_t payer, std::uint8_t place) {
    return escrow::read_holding(state.value(ledger->deal_key(payer, place)));
  }
};

/// All money that a group holds, in accounts and in deals.
__int128 all_money(executor_group& group) {
  __int128 sum = 0;
  for (std::uint64_t key = 0; key < accounts * (1 + escrow::places); ++key)
    sum += escrow::read_holding(group.value(key)).cents;
  return sum;
}

stream_settings stream_of(unsigned seed, std::uint64_t snapshot_every = 0) {
  return {.seed = seed,
          .accounts = accounts,
          .snapshot_every = snapshot_every,
          .rules = rules(),
          .write = escrow_writer(accounts)};
}

}  // namespace

TEST_SUITE("application") {
  TEST_CASE("a deal holds the payer's money until it is released to its payee") {
    desk x;
    CHECK(x.run(1, escrow::open(5, 2, 120)) == result_code::applied);
    CHECK(x.cents(1) == 180);
    CHECK(x.cents(2) == 300);
    CHECK(x.deal(1, 5).cents == 120);
    CHECK(x.deal(1, 5).payee == 2);
    CHECK(x.run(1, escrow::open(5, 3, 1)) == result_code::conflict);  // the place is taken
    CHECK(x.run(1, escrow::open(6, 3, 181)) == result_code::insufficient);
    CHECK(x.run(1, escrow::release({{5, 3}})) == result_code::conflict);  // not its payee
    CHECK(x.run(2, escrow::release({{5, 3}})) == result_code::conflict);  // not its payer
    CHECK(x.cents(1) == 180);
    CHECK(x.run(1, escrow::release({{5, 2}})) == result_code::applied);
    CHECK(x.cents(2) == 420);
    CHECK(x.deal(1, 5).cents == 0);
    CHECK(x.run(1, escrow::release({{5, 2}})) == result_code::conflict);  // once
    CHECK(x.run(1, escrow::open(5, 3, 180)) == result_code::applied);
  }

  TEST_CASE("a payee alone gives a deal back to its payer") {
    desk x;
    CHECK(x.run(1, escrow::open(0, 2, 300)) == result_code::applied);
    CHECK(x.run(3, escrow::refund(1, 0)) == result_code::conflict);
    CHECK(x.run(2, escrow::refund(1, 1)) == result_code::conflict);
    CHECK(x.run(2, escrow::refund(1, 0)) == result_code::applied);
    CHECK(x.cents(1) == 300);
    CHECK(x.run(2, escrow::refund(1, 0)) == result_code::conflict);
  }

  TEST_CASE("a release does all of its deals or none and costs as many transactions") {
    desk x;
    std::vector<escrow::named_deal> deals;
    for (std::uint8_t i = 0; i < 16; ++i) {
      CHECK(x.run(1, escrow::open(i, 10u + i, 10)) == result_code::applied);
      deals.push_back({i, 10u + i});
    }
    deals.back().payee = 9;
    CHECK(x.run(1, escrow::release(deals)) == result_code::conflict);
    CHECK(x.cents(10) == 300);
    CHECK(x.deal(1, 0).cents == 10);
    deals.back().payee = 25;
    const auto bytes = escrow::release(deals);
    access_set set;
    x.ledger->read_write_set({account_id{1}, bytes, false}, set);
    CHECK(set.accesses().size() == max_accesses);
    CHECK(set.cost() == 16);
    CHECK(x.run(1, bytes) == result_code::applied);
    for (std::uint8_t i = 0; i < 16; ++i) CHECK(x.cents(10u + i) == 310);
  }

  TEST_CASE("a proof of funds reads and tells") {
    desk x;
    CHECK(x.run(1, escrow::prove_funds(300)) == result_code::applied);
    CHECK(x.run(1, escrow::prove_funds(301)) == result_code::insufficient);
    const auto bytes = escrow::prove_funds(1);
    access_set set;
    x.ledger->read_write_set({account_id{1}, bytes, false}, set);
    REQUIRE(set.accesses().size() == 1);
    CHECK(set.accesses()[0] == key_access{1, access_mode::read});
  }

  TEST_CASE("no sum of an escrow leaves its number") {
    const auto full = std::make_shared<escrow::ledger>(10, cents_max);
    serial_execution state(full);
    const auto run = [&](std::uint64_t account, const std::vector<byte>& operation) {
      return state.run({account_id{account}, operation, false});
    };
    CHECK(run(1, escrow::open(0, 2, cents_max)) == result_code::applied);
    CHECK(run(1, escrow::release({{0, 2}})) == result_code::invalid_amount);  // the payee is full
    CHECK(run(2, escrow::open(0, 3, 1)) == result_code::applied);
    CHECK(run(1, escrow::release({{0, 2}})) == result_code::invalid_amount);
    CHECK(run(2, escrow::refund(1, 0)) == result_code::applied);
    CHECK(escrow::read_holding(state.value(1)).cents == cents_max);
  }

  TEST_CASE("escrow gives the serial result and keeps its money in any group of executors") {
    std::array<std::uint64_t, 16> seen{};
    for (const char* scheduler : {"static", "flamingo", "pilotfish"})
      for (const std::uint16_t executors : {1, 2, 3, 5})
        for (unsigned seed = 1; seed <= 12; ++seed) {
          CAPTURE(scheduler);
          CAPTURE(executors);
          CAPTURE(seed);
          stream_source source(stream_of(seed));
          executor_group group({.executors = executors, .seed = seed, .scheduler = scheduler},
                               source);
          group.run(20);
          group.check_equal_to_serial();
          REQUIRE(group.rejected == 0);
          REQUIRE((all_money(group) == accounts * genesis_cents));
          for (const auto& [key, answer] : group.answers())
            for (const byte code : answer.codes) ++seen[code];
        }
    for (const auto code : {result_code::applied, result_code::insufficient, result_code::conflict})
      CHECK(seen[static_cast<std::size_t>(code)] > 5000);
  }

  TEST_CASE("escrow's state root depends on neither executors nor scheduler nor a crash") {
    std::map<std::uint64_t, digest> first;
    for (const char* scheduler : {"static", "flamingo", "pilotfish"})
      for (const std::uint16_t executors : {1, 2, 3, 5})
        for (const bool crashes : {false, true}) {
          CAPTURE(scheduler);
          CAPTURE(executors);
          CAPTURE(crashes);
          stream_source source(stream_of(4, 3));
          executor_group group({.executors = executors, .scheduler = scheduler}, source);
          group.run(10);
          group.run_in_part(4);
          if (crashes) group.crash();
          group.run(4);
          group.check_equal_to_serial();
          REQUIRE((all_money(group) == accounts * genesis_cents));
          // Which snapshots were over before a crash is chance; those that were are right.
          if (first.empty()) first = group.roots;
          REQUIRE(first.size() == 6);
          REQUIRE(!group.roots.empty());
          for (const auto& [index, root] : group.roots) CHECK(root == first.at(index));
        }
  }
}
