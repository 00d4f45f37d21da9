// From bundles over many accounts to headers: whatever a worker seals, a header has room for it.
#include <doctest/doctest.h>

#include "messages/account_counts.hpp"
#include "messages/codec_dag.hpp"
#include "tests/unit/primary_bench.hpp"
#include "tests/unit/worker_harness.hpp"

using namespace flamingo;
using namespace flamingo::testing;
using namespace std::chrono_literals;

namespace {

/// A bundle of client 0 that acts on `count` accounts from `first` on.
tests::sample_bundle bundle_over(const committee& members, std::uint64_t sequence,
                                 std::uint64_t first, std::size_t count) {
  auto plan = tests::sample_transactions(client_id{0}, count);
  for (auto& x : plan) x.account = account_id{first++};
  auto built =
      build_bundle({client_id{0}, bundle_sequence{sequence}, v(0), round_number{1000}, 64}, plan);
  tests::sample_bundle out;
  out.id = crypto::hash(crypto::tags::bundle, built.body());
  out.frame =
      built.finish(crypto::fake_signer("c0").sign(crypto::bundle_statement(members.chain, out.id)));
  return out;
}

/// Room for the counts of 25 transactions, whatever they act on, and for little else.
protocol_parameters tight_rules(const committee& members) {
  protocol_parameters rules;
  rules.max_control_records = 1;
  return tests::rules_with_room(members, counts_bytes_max(25), rules);
}

/// What a worker makes of bundles of which 40 come at a time, each over 10 other accounts.
std::vector<checked_batch> seal(std::uint64_t bundles, const protocol_parameters& rules) {
  local_parameters local;
  local.batch_bytes = 1 << 20;
  tests::worker_harness w(0, local, rules);
  std::vector<checked_batch> out;
  for (std::uint64_t i = 0; i < bundles; ++i) {
    for (auto& x : w.admit(bundle_over(*w.members, i + 1, 10 * i, 10), 0).store) out.push_back(x);
    if (i % 40 == 39 || i + 1 == bundles)
      for (auto& x : w.advance(1s).store) out.push_back(x);
  }
  return out;
}

primary::batch_announced announced(const checked_batch& x) {
  return {{x.id, v(0), worker_id{0}, x.transactions, x.counts_digest, x.counts, {}, 0}};
}

}  // namespace

TEST_SUITE("header room") {
  TEST_CASE("however many accounts the bundles act on, all batches are proposed") {
    const auto rules = tight_rules(tests::sample_committee());
    const auto batches = seal(80, rules);
    primary_bench b;
    b.protocol = rules;
    b.boot();
    b.step(primary::started{});
    std::set<digest> waiting;
    for (const auto& x : batches) {
      waiting.insert(x.id);
      const auto fx = b.step(announced(x));
      CHECK(fx.rejected.empty());
      b.sign(fx);
    }
    for (std::uint64_t round = 1; round <= 40; ++round) {
      b.propose(1s);
      b.full_round(round);
    }
    for (const auto& own : b.proposed)
      for (const auto& entry : own.payload) waiting.erase(entry.batch);
    CHECK(waiting.empty());
  }

  TEST_CASE("a batch that no header has room for is refused and holds up nothing") {
    primary_bench b;
    b.protocol = tight_rules(b.members);
    b.local.header_payload_target = 10;
    b.boot();
    b.step(primary::started{});
    auto too_wide = announced(seal(1, {}).front());
    too_wide.x.counts.resize(276);
    CHECK(b.step(too_wide).rejected == std::vector{reject::oversize});
    b.available(0, 1);
    const auto own = b.propose(1s);
    REQUIRE(own);
    REQUIRE(own->payload.size() == 1);
    CHECK(own->payload.front().batch == b.batch_id(1));
  }

  TEST_CASE("the largest batch fits a header that is full of everything else") {
    const auto members = tests::sample_committee();
    protocol_parameters rules;
    rules.max_header_bytes = 64 << 10;
    header x;
    x.round = round_number{3};
    x.queue_delay = 1s;
    x.payload.push_back({digest{}, worker_id{1}, 7, digest{}, {}});
    x.payload.front().counts.resize(dag::room_for_counts(members, rules));
    for (std::uint16_t i = 0; i < members.size(); ++i) {
      x.parents.push_back({});
      x.weak_links.push_back({at(i, 1), {}});
    }
    const checkpoint record{commit_index{1}, {}, {}};
    x.control.assign(rules.max_control_records, record);
    x.coin_share.resize(97);
    CHECK(encode_header(x).size() <= rules.max_header_bytes);
  }

  TEST_CASE("no transactions have longer counts than the bound, and some nearly do") {
    std::size_t longest = 0;
    for (const std::uint64_t step : {1, 127, 128, 1 << 20}) {
      std::vector<account_id> accounts;
      for (std::uint64_t i = 0; i < 300; ++i) accounts.emplace_back(step * (i / (1 + i % 3)));
      longest = std::max(longest, encode_counts(accounts).size());
      CHECK(encode_counts(accounts).size() <= counts_bytes_max(accounts.size()));
    }
    std::vector<account_id> far{account_id{~std::uint64_t{0}}};
    CHECK(encode_counts(far).size() == counts_bytes_max(1));
    for (const std::size_t same : {127, 128, 20'000}) {
      std::vector<account_id> accounts(same, account_id{~std::uint64_t{0}});
      CHECK(encode_counts(accounts).size() <= counts_bytes_max(same));
    }
    CHECK(longest > 600);
  }
}
