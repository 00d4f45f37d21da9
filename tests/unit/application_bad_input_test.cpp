// What careless and hostile clients send gives a result, the same in any group of executors, and
// crashes nothing.
#include "tests/unit/application_loads.hpp"
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

struct victim {
  std::shared_ptr<const application> rules;
  std::vector<named_operation> hostile;
};

std::vector<victim> victims() {
  return {
      {std::make_shared<smallbank::bank>(10, smallbank::balances{100, 100}), hostile_smallbank()},
      {std::make_shared<keyset::keys>(20), hostile_keysets()},
      {std::make_shared<escrow::ledger>(100, 100), hostile_escrow()},
  };
}

/// Runs streams of what `write` writes in groups of each size under each scheduler.
void check_groups(const std::shared_ptr<const application>& rules,
                  const std::function<void(operation_writer&, std::mt19937_64&)>& write) {
  CAPTURE(rules->name());
  for (const char* scheduler : {"static", "flamingo", "pilotfish"})
    for (const std::uint16_t executors : {1, 2, 3, 5})
      for (unsigned seed = 1; seed <= 4; ++seed) {
        CAPTURE(scheduler);
        CAPTURE(executors);
        CAPTURE(seed);
        stream_source source(
            {.seed = seed, .accounts = rules->dense_keys(), .rules = rules, .write = write});
        executor_group group({.executors = executors, .seed = seed, .scheduler = scheduler},
                             source);
        group.run(12);
        group.check_equal_to_serial();
        REQUIRE(group.rejected == 0);
        REQUIRE(group.at(0).executed() == commit_index{12});
        REQUIRE(source.position().value > 100);
      }
}

/// Money of an account, or of the two accounts of a procedure.
__int128 all_of(const smallbank::balances& x) {
  return __int128{x.savings_cents} + x.checking_cents;
}

}  // namespace

TEST_SUITE("application") {
  TEST_CASE("each hostile operation has the result that was worked out for it") {
    for (const victim& x : victims()) {
      CAPTURE(x.rules->name());
      CHECK(x.hostile.size() >= 15);
      for (const named_operation& operation : x.hostile) {
        CAPTURE(operation.what);
        serial_execution state(x.rules);
        CHECK(state.run({account_id{operation.account}, operation.bytes, false}) ==
              operation.expected);
      }
    }
  }

  TEST_CASE("streams of nothing but hostile operations give the serial result in any group") {
    for (const victim& x : victims())
      check_groups(x.rules, [&x](operation_writer& into, std::mt19937_64& rng) {
        const named_operation& next = x.hostile[rng() % x.hostile.size()];
        into.application(account_id{next.account}, next.bytes);
      });
  }

  TEST_CASE("amounts at the edges on balances at the edges give the serial result in any group") {
    for (const std::int64_t genesis : {cents_max, std::int64_t{0}, cents_max / 2})
      check_groups(
          std::make_shared<smallbank::bank>(8, smallbank::balances{genesis, cents_max - genesis}),
          [](operation_writer& into, std::mt19937_64& rng) {
            into.application(account_id{rng() % 8}, edge_smallbank(rng, 8));
          });
    check_groups(std::make_shared<escrow::ledger>(8, cents_max), escrow_writer(8, true));
  }

  TEST_CASE("SmallBank's procedures move what their results say at the edges too") {
    using smallbank::procedure;
    std::mt19937_64 rng(9);
    std::array<int, 9> seen{};
    for (int i = 0; i < 200'000; ++i) {
      smallbank::balances own{edge_amount(rng), edge_amount(rng)};
      smallbank::balances other{edge_amount(rng), edge_amount(rng)};
      const auto x = smallbank::decode(edge_smallbank(rng, 8));
      REQUIRE(x);
      if (x->amount_cents < 0 && x->what != procedure::transact_savings) continue;  // refused
      const __int128 before = all_of(own) + all_of(other);
      const smallbank::balances own_before = own, other_before = other;
      const result_code code = smallbank::apply(*x, own, other);
      __int128 expected = 0;
      if (x->what == procedure::deposit_checking || x->what == procedure::transact_savings)
        expected = x->amount_cents;
      if (x->what == procedure::write_check) expected = -__int128{x->amount_cents};
      if (code == result_code::overdrawn) expected -= smallbank::overdraft_penalty_cents;
      if (!succeeded(code)) {
        expected = 0;
        REQUIRE((own == own_before && other == other_before));
      }
      REQUIRE((all_of(own) + all_of(other) - before == expected));
      ++seen[static_cast<std::size_t>(code)];
    }
    for (const auto code : {result_code::applied, result_code::insufficient,
                            result_code::invalid_amount, result_code::overdrawn})
      CHECK(seen[static_cast<std::size_t>(code)] > 1000);
  }
}
