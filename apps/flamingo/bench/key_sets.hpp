// Key sets: batches of transactions that name nothing but the accounts they touch, for comparing
// schedulers (the paper's section 6, figures 8 to 10, after the workloads of Hermes, Lin et al.,
// SIGMOD 2021). How many accounts a transaction touches, how often it shares them with others at
// the same time, and where they start is set from outside.
#pragma once

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "actors/executor/schedulers/scheduler.hpp"

namespace flamingo::bench {

/// How many accounts a transaction touches.
enum class weight : std::uint8_t {
  light,   // 1, or 2 if it is distributed: SmallBank's
  medium,  // 4
  heavy,   // 16
};
std::string_view to_string(weight);

struct key_set_load {
  std::uint16_t executors = 8;
  weight transactions = weight::light;
  unsigned overlap_percent = 0;      // of accounts that are among those touched lately
  unsigned distributed_percent = 0;  // of transactions half of whose accounts start elsewhere
  unsigned first_percent = 50;       // of transactions that start at executor 0
  std::uint64_t seed = 1;
};

/// An endless stream of batches. The accounts that start at one executor are a shard. A transaction
/// takes its accounts from one shard: as first_percent says, that of executor 0 or any other with
/// equal chances; a distributed one takes half of them from a second shard. An account is one of
/// the last `recent_accounts` touched in its shard as often as overlap_percent says, and else any
/// of the shard. One transaction in seven only reads (SmallBank's Balance); others write all.
class key_sets {
public:
  static constexpr std::size_t recent_accounts = 256;
  static constexpr std::size_t batch_transactions = 1000;

  /// @param homes the executor where each account starts; it must outlive this.
  key_sets(const key_set_load&, std::span<const std::uint8_t> homes);

  /// The next batch, which stays as it is until the next call.
  executor::execution_batch next();

private:
  struct shard {
    std::vector<std::uint32_t> accounts;
    std::array<std::uint32_t, recent_accounts> recent;  // the last ones touched, in any order
    std::size_t touched = 0;
  };

  void add_transaction();
  void add_account(shard&, std::size_t first, bool writes);
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool chance(unsigned percent) { return draw(100) < percent; }

  key_set_load load_;
  std::mt19937_64 random_;
  std::vector<shard> shards_;  // by executor
  std::uint64_t position_ = 0;
  std::vector<executor::slot_access> accesses_;
  std::vector<std::uint32_t> ends_;
  std::vector<std::uint16_t> costs_;
};

}  // namespace flamingo::bench
