// flamingo: the forward pass and the look back, held against a second implementation that is as
// plain as they are described, and what the plan promises.
#include "actors/executor/schedulers/flamingo.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <set>

#include "actors/executor/schedulers/flamingo_paper.hpp"
#include "messages/execution.hpp"
#include "tests/unit/scheduler_batches.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

/// As it is described, looking through the whole batch whenever something is wanted of it.
class plain_scheduler {
public:
  plain_scheduler(std::uint16_t executors, std::uint64_t slack, std::vector<std::uint8_t> owners)
      : executors_(executors), slack_(slack), owners_(std::move(owners)) {}

  std::vector<std::uint8_t> schedule(const batch& transactions) {
    batch_ = &transactions;
    masters_.clear();
    load_.assign(executors_, 0);
    std::uint64_t total = 0;
    for (const auto& t : transactions) total += t.cost;
    capacity_ = load_bound(total, executors_, static_cast<std::uint32_t>(slack_));
    for (std::size_t t = 0; t < transactions.size(); ++t) {
      masters_.push_back(first_master(t));
      load_[masters_[t]] += transactions[t].cost;
    }
    std::set<std::size_t> crossing, stirred;
    for (std::size_t t = 0; t < transactions.size(); ++t) {
      const auto with = exchanges(t);
      if (std::any_of(with.begin(), with.end(), [&](auto x) { return x.at != masters_[t]; }))
        crossing.insert(t);
    }
    for (const std::size_t t : crossing)
      if (reconsider(t))
        for (const auto x : exchanges(t))
          if (x.with) stirred.insert(*x.with);
    for (const std::size_t t : stirred) reconsider(t);
    for (std::size_t t = 0; t < transactions.size(); ++t)
      for (const auto key : transactions[t].keys)
        if (key.writes()) owners_[key.slot()] = masters_[t];
    return masters_;
  }

private:
  bool fits(std::uint8_t e, std::size_t t) const {
    return load_[e] + (*batch_)[t].cost <= capacity_;
  }
  struct exchange {
    std::optional<std::size_t> with;  // a transaction of the batch
    std::uint8_t at;
  };
  /// Where the value is that transaction t finds, and from whom it has it.
  exchange holder(std::size_t t, std::uint32_t slot) const {
    while (t-- > 0)
      for (const auto key : (*batch_)[t].keys)
        if (key.slot() == slot && key.writes()) return {t, masters_[t]};
    return {std::nullopt, owners_[slot]};
  }
  std::uint8_t first_master(std::size_t t) const {
    std::vector<unsigned> votes(executors_, 0);
    for (const auto key : (*batch_)[t].keys) ++votes[holder(t, key.slot()).at];
    std::uint8_t best = 0;
    const auto weight = [&](std::uint8_t e) { return fits(e, t) ? votes[e] : 0; };
    for (std::uint8_t e = 1; e < executors_; ++e)
      if (weight(e) > weight(best) || (weight(e) == weight(best) && load_[e] < load_[best]))
        best = e;
    return best;
  }
  /// Whom transaction t gets a value from or gives one to, once for each value.
  std::vector<exchange> exchanges(std::size_t t) const {
    std::vector<exchange> with;
    for (const auto key : (*batch_)[t].keys) {
      with.push_back(holder(t, key.slot()));
      bool over = !key.writes();
      for (std::size_t later = t + 1; !over && later < batch_->size(); ++later)
        for (const auto other : (*batch_)[later].keys)
          if (other.slot() == key.slot()) {
            with.push_back({later, masters_[later]});
            over = over || other.writes();
          }
    }
    return with;
  }
  bool reconsider(std::size_t t) {
    const auto with = exchanges(t);
    const auto near = [&](std::uint8_t e) {
      return std::count_if(with.begin(), with.end(), [&](auto x) { return x.at == e; });
    };
    const std::uint8_t now = masters_[t];
    std::optional<std::uint8_t> best;
    for (std::uint8_t e = 0; e < executors_; ++e) {
      if (e == now || !fits(e, t)) continue;
      if (!best || near(e) > near(*best) || (near(e) == near(*best) && load_[e] < load_[*best]))
        best = e;
    }
    const std::uint64_t cost = (*batch_)[t].cost;
    if (!best || near(*best) < near(now)) return false;
    if (near(*best) == near(now) && load_[*best] + cost >= load_[now]) return false;
    load_[now] -= cost;
    load_[*best] += cost;
    masters_[t] = *best;
    return true;
  }

  std::uint16_t executors_;
  std::uint64_t slack_, capacity_ = 0;
  std::vector<std::uint8_t> owners_, masters_;
  std::vector<std::uint64_t> load_;
  const batch* batch_ = nullptr;
};

std::uint64_t most_loaded(const batch& transactions, const batch_plan& plan,
                          std::uint16_t executors) {
  std::vector<std::uint64_t> load(executors, 0);
  for (std::size_t t = 0; t < transactions.size(); ++t)
    load[plan.masters[t]] += transactions[t].cost;
  return *std::max_element(load.begin(), load.end());
}

}  // namespace

TEST_SUITE("scheduler") {
  TEST_CASE("flamingo plans as its two passes are described") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      const auto executors = static_cast<std::uint16_t>(1 + rng() % 10);
      const auto slots = static_cast<std::uint32_t>(5 + rng() % 200);
      const auto slack = static_cast<std::uint32_t>(rng() % 4 * 50);
      partition_map map = uneven_map(executors, slots, rng);
      std::vector<std::uint8_t> owner_now = owners_in(map);
      plain_scheduler plain(executors, slack, owner_now);
      flamingo_scheduler fast(slack);
      batch_plan plan;
      std::uint64_t position = rng();
      for (int round = 0; round < 8; ++round) {
        const auto transactions = random_batch(rng, 1 + rng() % 120, slots, 4, 3);
        const flat_batch flat(transactions);
        fast.schedule(flat.at(position), map, plan);
        REQUIRE(plan.masters == plain.schedule(transactions));
        REQUIRE(values_are_where_it_says(transactions, plan, map, owner_now));
        position += transactions.size();
      }
    }
  }

  TEST_CASE("looking back moves less and loads nobody more than the paper's rule does") {
    std::uint64_t all = 0, all_of_paper = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      const auto executors = static_cast<std::uint16_t>(2 + rng() % 9);
      const auto slack = static_cast<std::uint32_t>(rng() % 3 * 50);
      const auto max_cost = static_cast<std::uint16_t>(rng() % 2 == 0 ? 1 : 1 + rng() % 50);
      partition_map map = uneven_map(executors, 300, rng), map_of_paper = map;
      flamingo_scheduler scheduler(slack);
      flamingo_paper_scheduler paper(slack);
      batch_plan plan, plan_of_paper;
      for (std::uint64_t round = 0; round < 5; ++round) {
        const auto transactions = random_batch(rng, 1 + rng() % 300, 300, 5, max_cost);
        const flat_batch flat(transactions);
        scheduler.schedule(flat.at(300 * round), map, plan);
        paper.schedule(flat.at(300 * round), map_of_paper, plan_of_paper);
        all += remote_reads(flat, plan);
        all_of_paper += remote_reads(flat, plan_of_paper);
        std::uint64_t total = 0, largest = 0;
        for (const auto& t : transactions) {
          total += t.cost;
          largest = std::max<std::uint64_t>(largest, t.cost);
        }
        // What fits nowhere goes where least is, which is at most the mean.
        const std::uint64_t bound = load_bound(total, executors, slack);
        const std::uint64_t most = most_loaded(transactions, plan, executors);
        REQUIRE(most <= std::max(bound, (total + executors - 1) / executors + largest));
        if (max_cost == 1) REQUIRE(most <= bound);  // transactions of one size always fit
      }
    }
    CHECK(all < all_of_paper);
  }

  TEST_CASE("flamingo keeps the load of every executor within its bound") {
    // Half of the load starts on executor 0, and every transaction fits.
    for (const std::uint16_t executors : {2, 4, 8}) {
      std::mt19937_64 rng(executors);
      partition_map map(executors);
      for (int i = 0; i < 10'000; ++i)
        map.add(static_cast<std::uint16_t>(rng() % 2 == 0 ? 0 : rng()));
      flamingo_scheduler scheduler(50);
      batch_plan plan;
      for (int round = 0; round < 10; ++round) {
        batch transactions(1000);
        for (auto& t : transactions)
          for (auto keys = 1 + (rng() % 5 == 0 ? 1 : 0); keys > 0; --keys)
            t.keys.emplace_back(static_cast<std::uint32_t>(rng() % 10'000), true);
        const flat_batch flat(transactions);
        scheduler.schedule(flat.at(1000u * static_cast<unsigned>(round)), map, plan);
        std::vector<std::uint64_t> load(executors, 0);
        for (const auto master : plan.masters) ++load[master];
        const std::uint64_t bound = (1000 * 1050 + executors * 1000 - 1) / (executors * 1000u);
        for (const auto x : load) CHECK(x <= bound);
      }
    }
  }

  TEST_CASE("few executors get less slack than many, in proportion to eight") {
    CHECK(slack_of_group(1, 50) == 6);
    CHECK(slack_of_group(2, 50) == 12);
    CHECK(slack_of_group(4, 50) == 25);
    CHECK(slack_of_group(8, 50) == 50);
    CHECK(slack_of_group(10, 50) == 50);
    CHECK(slack_of_group(7, 0) == 0);
  }

  TEST_CASE("the largest batch of the dearest transactions is planned within the bound") {
    constexpr std::uint16_t dearest = 0xffff;
    constexpr std::size_t largest = 100'000;  // protocol.execution_batch
    std::mt19937_64 rng(1);
    partition_map map = uneven_map(8, 1000, rng);
    batch transactions(largest);
    for (auto& t : transactions) {
      t.cost = dearest;
      t.keys.emplace_back(static_cast<std::uint32_t>(rng() % 1000), true);
    }
    const flat_batch flat(transactions);
    batch_plan plan;
    flamingo_scheduler scheduler(50);
    scheduler.schedule(flat.at(0), map, plan);
    CHECK(most_loaded(transactions, plan, 8) <= load_bound(largest * dearest, 8, 50));
  }

  TEST_CASE("flamingo leaves a transaction where its keys are while there is room") {
    partition_map map(4);
    for (std::uint16_t b = 0; b < 8; ++b) map.add(b);
    flamingo_scheduler scheduler(50);
    batch_plan plan;
    const batch transactions{
        {{{1, true}, {5, true}}}, {{{2, true}}}, {{{3, false}, {7, false}}}, {{{0, true}}}};
    const flat_batch flat(transactions);
    scheduler.schedule(flat.at(0), map, plan);
    CHECK(plan.masters == std::vector<std::uint8_t>{1, 2, 3, 0});
  }
}
