// hermes: prescient routing (Lin, Tsai, Lin, Chang and Wu: Don't Look Back, Look into the Future:
// Prescient Data Partitioning and Migration for Deterministic Database Systems, SIGMOD 2021; the
// comparison of the paper's figures 9 and 10; design: "Baselines"). With data fusion, like
// flamingo, but it looks at the whole batch before it places anything:
//
// 1. Greedily, the next transaction is one with the fewest remote reads given where the ones before
//    it leave their keys; it goes to the executor that holds most of its keys. So it permutes the
//    batch.
// 2. From the last transaction back, those of executors above the load bound are rerouted to ones
//    below it if that adds at most d remote reads, for d = 0, 1, 2, ... until nobody is above.
// 3. Any transaction is rerouted within the bound if that takes remote reads away, until none is.
//
// The order that it runs depends on the number of executors, so no validator may use it.
//
// Where this departs from it: the bound is flamingo's, so that both pay for the same balance; step
// 3 is added; step 1 keeps, for each transaction, how many keys each executor holds, and looks
// again only at those whose keys move, so that it takes no quadratic time; ties go to the lower
// load, then the lower number.
#pragma once

#include <array>

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::executor {

class hermes_scheduler final : public scheduler {
public:
  /// @param slack_per_mille how far above the mean an executor's load in a batch may be.
  explicit hermes_scheduler(std::uint32_t slack_per_mille) : slack_per_mille_(slack_per_mille) {}

  std::string_view name() const override { return "hermes"; }
  bool writes_stay() const override { return true; }
  bool keeps_order() const override { return false; }
  void schedule(const execution_batch&, partition_map&, batch_plan&) override;

private:
  using tallies = std::array<std::uint32_t, max_executors>;
  struct key {
    std::uint32_t slot;
    std::uint32_t first, end;  // its accesses, in touches_
    std::uint8_t holder;       // before the batch
    std::uint8_t owner;        // in step 1: now
  };
  struct access {
    std::uint32_t transaction;
    std::uint32_t key;
    std::uint32_t source;  // the access that wrote the value before this one, or `none`
    std::uint32_t place;   // in touches_, once in the order of execution
    bool writes;
  };
  static constexpr std::uint32_t none = 0xffffffff;

  void read_batch(const execution_batch&, const partition_map&);
  void list_touches(std::span<const std::uint32_t> order);
  void order_and_route(std::vector<std::uint32_t>& order, std::vector<std::uint8_t>& masters);
  std::uint32_t take_next();
  std::uint8_t most_voted(std::uint32_t transaction) const;
  void move_key(std::uint32_t key, std::uint8_t to);
  void wait_with(std::uint32_t transaction);
  void find_sources();
  void unload(std::span<const std::uint32_t> order, std::vector<std::uint8_t>& masters);
  void refine(std::span<const std::uint32_t> order, std::vector<std::uint8_t>& masters);
  void tally(std::uint32_t transaction, std::span<const std::uint8_t> masters,
             tallies& local) const;
  std::uint8_t best_with_room(std::uint32_t transaction, std::uint8_t now, const tallies&) const;
  void reroute(std::uint32_t transaction, std::uint8_t to, std::vector<std::uint8_t>& masters);
  void hand_out(partition_map&, batch_plan&);

  std::span<const access> accesses_of(std::uint32_t t) const {
    const std::uint32_t first = t == 0 ? 0 : batch_.ends[t - 1];
    return {accesses_.data() + first, batch_.ends[t] - first};
  }

  std::uint32_t slack_per_mille_;
  execution_batch batch_;
  std::uint16_t executors_ = 1;
  std::uint64_t bound_ = 0;
  std::array<std::uint64_t, max_executors> load_{};

  std::vector<std::uint32_t> key_of_slot_;  // position in keys_, or `none`; `none` between batches
  std::vector<key> keys_;
  std::vector<access> accesses_;        // as in the batch
  std::vector<std::uint32_t> touches_;  // accesses, by key
  std::vector<std::uint8_t> votes_;     // by transaction and executor: keys that it owns
  std::vector<std::uint8_t> remote_;    // by transaction: keys that even its best executor lacks
  std::vector<std::uint8_t> routed_;    // by transaction
  std::size_t words_ = 0;
  std::vector<std::uint64_t> waiting_;  // for each number of remote reads: a bit a transaction
};

}  // namespace flamingo::executor
