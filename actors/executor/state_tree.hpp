// The state root: a Merkle tree over the 65,536 buckets of keys (design: "State root").
//
//   leaf of bucket b = SHA-256(0x00 | u16 b | for each key of b, ascending: u64 key | value)
//   node             = SHA-256(0x01 | left | right)
//
// Integers are little-endian; a value has the application's size. All dense keys are in it, of the
// other keys those whose value is not all zeros. Leaf b is the b-th from the left; the root has
// depth
// 16. So the root depends on the state alone: not on the number of executors, owners or batches.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "actors/executor/buckets.hpp"
#include "messages/execution.hpp"

namespace flamingo::executor {

/// SHA-256 of the bytes, without a tag. Given from outside: cores do not hash.
using hash_function = digest (*)(byte_span);

class state_tree {
public:
  explicit state_tree(hash_function hash);

  void set_leaf(std::uint16_t bucket, const digest& leaf);
  /// Every leaf was set.
  bool complete() const { return set_count_ == bucket_count; }
  /// Hashes again what lies above changed leaves. Only when complete.
  const digest& root();
  /// From the root of the subtree over `count` leaves from `first` on up to the root: the other
  /// child each time, bottom up. After root(); `count` is a power of two that divides `first`.
  std::vector<digest> path(std::uint32_t first, std::uint32_t count) const;

private:
  hash_function hash_;
  std::vector<digest> nodes_;  // node i has children 2i and 2i + 1; leaves start at bucket_count
  std::vector<bool> leaf_set_;
  std::size_t set_count_ = 0;
  std::vector<std::uint32_t> changed_;  // leaves set since the last root
  std::vector<bool> leaf_changed_;
};

/// The root of the tree that has these leaves from `first` on and whose other nodes on the way up
/// are `path`. Their number is a power of two that divides `first`; nothing if the path is not as
/// long as the way.
std::optional<digest> root_over(std::vector<digest> leaves, std::uint32_t first,
                                const std::vector<digest>& path, hash_function hash);

/// Collects the changed leaves of all executors of a group, snapshot by snapshot.
class root_collector {
public:
  explicit root_collector(hash_function hash) : tree_(hash) {}

  /// A snapshot at this index, made by so many executors, follows the ones before: leaves are
  /// applied in this order, however they come.
  void expect(commit_index index, std::uint16_t executors) {
    expected_.push_back({index, executors});
  }

  /// Takes one executor's leaves. Repeated ones, and those of a snapshot that is over, are ignored.
  /// True if they completed an expected snapshot: root() and index() are then new.
  bool add(state_leaves);

  const std::optional<digest>& root() const { return root_; }
  commit_index index() const { return index_; }

private:
  using pending = std::map<executor_id, state_leaves>;
  struct expected {
    commit_index index;
    std::uint16_t executors;
  };

  state_tree tree_;
  std::deque<expected> expected_;
  std::map<commit_index, pending> pending_;
  std::optional<digest> root_;
  commit_index index_;
};

}  // namespace flamingo::executor
