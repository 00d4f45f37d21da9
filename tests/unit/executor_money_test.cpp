// Money is neither made nor lost by a group of executors: what all accounts hold follows from
// genesis and the results that clients are told.
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

/// What the operations of a sub-DAG brought in, by the codes that their clients were told.
__int128 brought_in(const sub_dag_frames& frames,
                    const std::map<answer_key, expected_answer>& answers) {
  __int128 sum = 0;
  for (const auto& batch : frames.sequenced.batches)
    for (const auto& payload : frames.payloads) {
      if (payload.payload.batch != batch.id) continue;
      for (std::size_t i = 0; i < batch.bundles.size(); ++i) {
        if (batch.bundles[i].what != verdict::fresh) continue;
        const auto& codes =
            answers.at({batch.bundles[i].client.value, batch.bundles[i].sequence.value}).codes;
        operation_reader reader(payload.payload.bundles[i]);
        for (std::size_t t = 0; const auto x = reader.next(); ++t) {
          const auto code = static_cast<result_code>(codes[t]);
          if (!succeeded(code)) continue;
          const auto what = smallbank::decode(x->operation);
          REQUIRE(what);
          if (what->what == smallbank::procedure::deposit_checking ||
              what->what == smallbank::procedure::transact_savings)
            sum += what->amount_cents;
          if (what->what == smallbank::procedure::write_check) sum -= what->amount_cents;
          if (code == result_code::overdrawn) sum -= smallbank::overdraft_penalty_cents;
        }
      }
    }
  return sum;
}

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("all money is genesis and what the results say came in") {
    for (const char* scheduler : {"static", "flamingo"}) {
      CAPTURE(scheduler);
      constexpr std::uint64_t accounts = 60;
      stream_source source({.seed = 21, .accounts = accounts});
      executor_group group({.executors = 3, .seed = 2, .scheduler = scheduler}, source);
      group.run(40);
      stream_source again({.seed = 21, .accounts = accounts});
      __int128 expected = accounts * 200;
      for (int i = 0; i < 40; ++i) expected += brought_in(again.next(), group.answers());
      __int128 actual = 0;
      for (std::uint64_t account = 0; account < accounts; ++account) {
        const auto held =
            smallbank::read_balances(group.value(account).first<smallbank::balances_bytes>());
        actual += held.savings_cents;
        actual += held.checking_cents;
      }
      CHECK((actual == expected));
      CHECK((expected != accounts * 200));
    }
  }
}
