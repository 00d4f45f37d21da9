// flamingo-paper: the six steps of the design, held against a second implementation that is as
// plain as they are written, and what the plan promises.
#include "actors/executor/schedulers/flamingo_paper.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "tests/unit/scheduler_batches.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

/// The steps, word by word, over maps.
class plain_scheduler {
public:
  plain_scheduler(std::uint16_t executors, std::uint64_t slack,
                  std::map<std::uint32_t, std::uint8_t> owners)
      : executors_(executors), slack_(slack), base_(std::move(owners)) {}

  std::vector<std::uint8_t> schedule(const batch& transactions) {
    std::uint64_t total = 0;
    for (const auto& t : transactions) total += t.cost;
    // capacity = ceil(total / m * (1 + slack)), as a fraction of integers
    const std::uint64_t numerator = total * (1000 + slack_), denominator = 1000ull * executors_;
    const std::uint64_t capacity = numerator / denominator + (numerator % denominator != 0);
    std::map<std::uint32_t, std::uint8_t> overlay;
    std::vector<std::uint64_t> load(executors_, 0);
    std::vector<std::uint8_t> masters;
    for (const auto& t : transactions) {
      std::vector<unsigned> votes(executors_, 0);
      for (const auto key : t.keys)
        ++votes[overlay.count(key.slot()) ? overlay[key.slot()] : base_.at(key.slot())];
      std::vector<std::uint8_t> candidates;
      for (std::uint8_t e = 0; e < executors_; ++e)
        if (votes[e] > 0 && load[e] + t.cost <= capacity) candidates.push_back(e);
      std::uint8_t master = 0;
      if (candidates.empty()) {
        for (std::uint8_t e = 1; e < executors_; ++e)
          if (load[e] < load[master]) master = e;
      } else {
        unsigned most = 0;
        for (const auto e : candidates) most = std::max(most, votes[e]);
        std::erase_if(candidates, [&](std::uint8_t e) { return votes[e] != most; });
        std::pair<std::uint64_t, std::uint8_t> latest{0, 0};  // 1 + when, by whom
        for (const auto key : t.keys)
          if (touched_.count(key.slot())) latest = std::max(latest, touched_[key.slot()]);
        const auto found = std::find(candidates.begin(), candidates.end(), latest.second);
        if (latest.first > 0 && found != candidates.end())
          master = latest.second;
        else
          master =
              *std::min_element(candidates.begin(), candidates.end(),
                                [&](std::uint8_t a, std::uint8_t b) { return load[a] < load[b]; });
      }
      ++now_;
      load[master] += t.cost;
      for (const auto key : t.keys) {
        touched_[key.slot()] = {now_, master};
        if (key.writes()) overlay[key.slot()] = master;
      }
      masters.push_back(master);
    }
    for (const auto& [slot, owner] : overlay) base_[slot] = owner;
    return masters;
  }

private:
  std::uint16_t executors_;
  std::uint64_t slack_;
  std::map<std::uint32_t, std::uint8_t> base_;
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint8_t>> touched_;
  std::uint64_t now_ = 0;
};

}  // namespace

TEST_SUITE("scheduler") {
  TEST_CASE("flamingo-paper plans as the six steps say") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      const auto executors = static_cast<std::uint16_t>(1 + rng() % 10);
      const auto slots = static_cast<std::uint32_t>(5 + rng() % 200);
      const auto slack = static_cast<std::uint32_t>(rng() % 4 * 50);
      partition_map map(executors);
      std::map<std::uint32_t, std::uint8_t> owners;
      for (std::uint32_t slot = 0; slot < slots; ++slot) {
        map.add(static_cast<std::uint16_t>(rng() % 3 == 0 ? 0 : rng()));
        owners[slot] = map.owner(slot);
      }
      plain_scheduler plain(executors, slack, owners);
      flamingo_paper_scheduler fast(slack);
      batch_plan plan;
      std::uint64_t position = rng();
      for (int round = 0; round < 8; ++round) {
        const auto transactions = random_batch(rng, 1 + rng() % 120, slots, 4, 3);
        const flat_batch flat(transactions);
        std::vector<std::uint8_t> owner_now = owners_in(map);
        fast.schedule(flat.at(position), map, plan);
        REQUIRE(plan.masters == plain.schedule(transactions));
        REQUIRE(values_are_where_it_says(transactions, plan, map, owner_now));
        position += transactions.size();
      }
    }
  }

  TEST_CASE("flamingo-paper puts no load above its bound on an executor while another has room") {
    for (unsigned seed = 1; seed <= 300; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      const auto executors = static_cast<std::uint16_t>(1 + rng() % 10);
      const auto slack = static_cast<std::uint32_t>(rng() % 3 * 50);
      const auto max_cost = static_cast<std::uint16_t>(rng() % 2 == 0 ? 1 : 1 + rng() % 50);
      partition_map map = uneven_map(executors, 300, rng);
      flamingo_paper_scheduler scheduler(slack);
      batch_plan plan;
      for (std::uint64_t round = 0; round < 5; ++round) {
        const auto transactions = random_batch(rng, 1 + rng() % 300, 300, 5, max_cost);
        const flat_batch flat(transactions);
        scheduler.schedule(flat.at(300 * round), map, plan);
        std::uint64_t total = 0;
        for (const auto& t : transactions) total += t.cost;
        const std::uint64_t bound = load_bound(total, executors, slack);
        std::vector<std::uint64_t> load(executors, 0);
        for (std::size_t t = 0; t < transactions.size(); ++t) {
          const std::uint64_t least = *std::min_element(load.begin(), load.end());
          std::uint64_t& own = load[plan.masters[t]];
          const bool fits_somewhere = least + transactions[t].cost <= bound;
          REQUIRE((fits_somewhere ? own + transactions[t].cost <= bound : own == least));
          own += transactions[t].cost;
        }
        // Transactions of one size always fit.
        if (max_cost == 1)
          for (const auto x : load) REQUIRE(x <= bound);
      }
    }
  }

  TEST_CASE("positions that pass four thousand million keep their order") {
    partition_map map(2);
    for (std::uint16_t b = 0; b < 2; ++b) map.add(b);
    flamingo_paper_scheduler scheduler(1000);
    batch_plan plan;
    // Key 0 is touched by executor 0 before the low bits wrap, key 1 by executor 1 after it.
    const flat_batch before(batch{{{{0, true}}}}), after(batch{{{{1, true}}}}),
        both(batch{{{{0, true}, {1, true}}}});
    scheduler.schedule(before.at(0xffffffff), map, plan);
    CHECK(plan.masters[0] == 0);
    scheduler.schedule(after.at(0x100000000), map, plan);
    CHECK(plan.masters[0] == 1);
    scheduler.schedule(both.at(0x100000001), map, plan);
    CHECK(plan.masters[0] == 1);
  }
}
