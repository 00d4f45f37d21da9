// Nothing is allocated for each transaction on its way through an executor.
#include "tests/unit/allocations.hpp"
#include "tests/unit/executor_group.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

struct steady_group {
  std::vector<std::unique_ptr<core>> cores;
  std::vector<std::vector<input>> inboxes;
  std::uint64_t allocations = 0;  // within the cores
  std::uint64_t remote = 0;

  explicit steady_group(std::uint16_t executors) : inboxes(executors) {
    protocol_parameters p;
    p.accounts = 100'000;
    const auto rules = make_application(p);
    const auto dense = std::make_shared<dense_buckets>(p.accounts, &bucket_of);
    for (std::uint16_t i = 0; i < executors; ++i) {
      parameters q;
      q.share = {executor_id{i}, executors, 1, 1000};
      cores.push_back(std::make_unique<core>(q, rules, make_scheduler("static"), dense,
                                             functions{&bucket_of, &sha256}));
    }
  }

  void perform(effects x) {
    for (auto& y : x.outputs.pushed)
      inboxes[y.to.value].push_back(values_received{std::move(y.values)});
    for (auto& y : x.outputs.results)
      inboxes[y.to.value].push_back(results_received{std::move(y.results)});
  }

  template <class F>
  effects counted(F&& f) {
    const std::uint64_t before = flamingo::tests::allocations();
    effects out = f();
    allocations += flamingo::tests::allocations() - before;
    return out;
  }

  void run(sub_dag_frames x) {
    x.sequenced.group.executors = static_cast<std::uint16_t>(cores.size());
    for (std::size_t i = 0; i < cores.size(); ++i) {
      inboxes[i].push_back(sequenced_received{x.sequenced});
      for (const auto& payload : x.payloads) inboxes[i].push_back(payload);
    }
    for (bool any = true; any;) {
      any = false;
      for (std::size_t i = 0; i < cores.size(); ++i) {
        std::vector<input> inbox;
        inbox.swap(inboxes[i]);
        for (auto& in : inbox)
          perform(counted([&] { return cores[i]->step(time_point{}, std::move(in)); }));
        if (cores[i]->holding())
          perform(counted([&] { return cores[i]->step(time_point{}, timer{}); }));
        any = any || !inbox.empty();
        while (cores[i]->runnable())
          perform(counted([&] {
            cores[i]->prepare();
            cores[i]->plan();
            return cores[i]->run(time_point{});
          }));
      }
    }
  }
};

/// A sub-DAG of one batch with `bundles` bundles of 500 payments each.
sub_dag_frames payments(std::uint64_t index, std::uint64_t position, std::uint32_t bundles,
                        std::mt19937_64& rng) {
  sub_dag_frames out;
  out.sequenced.index = commit_index{index};
  out.sequenced.first_position = stream_position{position};
  auto& batch = out.sequenced.batches.emplace_back();
  std::vector<byte> packed;
  operation_writer writer(packed);
  for (std::uint32_t t = 0; t < 500 * bundles; ++t) {
    smallbank::operation x{smallbank::procedure::send_payment, account_id{rng() % 100'000}, 1};
    std::array<byte, smallbank::max_encoded_bytes> bytes;
    writer.application(account_id{rng() % 100'000}, encode(x, bytes));
  }
  payload_received payload;
  payload.frame = shared_bytes(std::vector<char>(packed.begin(), packed.end()));
  payload.payload.index = out.sequenced.index;
  const std::size_t size = packed.size() / bundles;
  for (std::uint32_t b = 0; b < bundles; ++b) {
    batch.bundles.push_back({client_id{b}, bundle_sequence{index}, {}, verdict::fresh, 500});
    payload.payload.bundles.push_back(byte_span(payload.frame).subspan(b * size, size));
  }
  out.payloads.push_back(std::move(payload));
  return out;
}

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("an executor keeps at most 32 bytes for each account") {
    protocol_parameters p;
    p.accounts = 1'000'000;
    const auto rules = make_application(p);
    REQUIRE(rules->value_size() == 16);  // two balances
    const std::uint64_t before = flamingo::tests::allocated_bytes();
    const auto dense = std::make_shared<dense_buckets>(p.accounts, &bucket_of);
    parameters q;
    q.share = {executor_id{3}, 8, 1, 1000};
    const core x(q, rules, make_scheduler("flamingo"), dense, functions{&bucket_of, &sha256});
    const auto each = static_cast<double>(flamingo::tests::allocated_bytes() - before) /
                      static_cast<double>(p.accounts);
    MESSAGE("bytes for each account: ", each);
    CHECK(each <= 32);
    CHECK(each > 16);
  }

  TEST_CASE("what an executor allocates does not grow with the transactions") {
    for (const std::uint16_t executors : {1, 2, 4}) {
      CAPTURE(executors);
      steady_group group(executors);
      std::mt19937_64 rng(1);
      std::uint64_t position = 0, index = 0;
      for (int warm = 0; warm < 20; ++warm) {
        group.run(payments(++index, position, 20, rng));
        position += 10'000;
      }
      group.allocations = 0;
      constexpr int rounds = 20;
      for (int i = 0; i < rounds; ++i) {
        group.run(payments(++index, position, 20, rng));
        position += 10'000;
      }
      for (const auto& x : group.cores) CHECK(x->executed() == commit_index{index});
      // A few for each sub-DAG, bundle, batch and group of values; 200,000 transactions passed each
      // executor, half of them with a remote value or more.
      const double each = static_cast<double>(group.allocations) / (rounds * 10'000 * executors);
      MESSAGE("allocations for each transaction and executor: ", each);
      CHECK(each < 0.1);
    }
  }
}
