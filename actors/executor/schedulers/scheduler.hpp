// Scheduler: which executor runs each transaction of an execution batch. Every executor of a group
// computes the same plan from the same stream, so there is no dispatcher (paper section 5; design:
// "Scheduler: one deterministic forward pass"). A baseline stands beside the paper's rule as
// another implementation.
//
// Integers only; no order of a hash table, no pointer, no clock may influence a plan.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "actors/executor/partition_map.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::executor {

/// A slot that a transaction touches, and whether it writes it: one number, so that a batch's
/// accesses lie close together.
class slot_access {
public:
  slot_access() = default;
  slot_access(std::uint32_t slot, bool writes) : bits_(slot | (writes ? write_bit : 0)) {}
  std::uint32_t slot() const { return bits_ & ~write_bit; }
  bool writes() const { return (bits_ & write_bit) != 0; }

private:
  static constexpr std::uint32_t write_bit = 0x80000000;
  std::uint32_t bits_ = 0;
};

/// An execution batch as a scheduler sees it.
struct execution_batch {
  stream_position first;                  // of its first transaction
  std::span<const slot_access> accesses;  // of all transactions, one after another, first key first
  std::span<const std::uint32_t> ends;    // for each transaction: where its accesses end
  std::span<const std::uint16_t> costs;   // for each transaction, at least 1
};

/// Who runs what, and where the values are. The buffers are kept from batch to batch.
struct batch_plan {
  std::vector<std::uint8_t> masters;  // for each transaction: the executor that runs it
  std::vector<std::uint8_t> holders;  // for each access: who holds the value just before it
  std::vector<std::uint32_t> order;   // in which the transactions run; empty: as they are committed
};

class scheduler {
public:
  virtual ~scheduler() = default;

  /// As in the configuration.
  virtual std::string_view name() const = 0;

  /// Data fusion: a value that a transaction writes stays with its master, which owns the key from
  /// then on. Otherwise it is returned to its owner, and owners never change.
  virtual bool writes_stay() const = 0;

  /// A master asks the owners for the values that it needs. Otherwise they are pushed to it
  /// unasked.
  virtual bool pulls() const { return false; }

  /// Transactions run in the committed order. A scheduler that changes it gives every validator
  /// another state, by its number of executors: it serves comparisons, and no validator may use it.
  virtual bool keeps_order() const { return true; }

  /// Plans the next batch of the stream. With data fusion it moves the keys in `map` as the masters
  /// take them; a key that is only read stays with its holder.
  virtual void schedule(const execution_batch&, partition_map& map, batch_plan& into) = 0;
};

/// Accesses whose entries in the map are on their way from memory while earlier ones are worked on:
/// the map is larger than a cache, and hardly two entries of a batch share a line.
inline constexpr std::size_t accesses_ahead = 24;

/// How far above the mean an executor's load in a batch may be: an executor group's setting.
inline constexpr std::uint32_t default_slack_per_mille = 50;

/// What the load of an executor in a batch may be at most: ceil(cost / executors * (1 + slack)).
constexpr std::uint64_t load_bound(std::uint64_t cost, std::uint16_t executors,
                                   std::uint32_t slack_per_mille) {
  const std::uint64_t parts = std::uint64_t{executors} * 1000;
  return (cost * (1000 + slack_per_mille) + parts - 1) / parts;
}

/// The scheduler of that name, or nothing.
std::unique_ptr<scheduler> make_scheduler(std::string_view name,
                                          std::uint32_t slack_per_mille = default_slack_per_mille);

}  // namespace flamingo::executor
