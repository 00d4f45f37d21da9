#include "actors/executor/state_tree.hpp"

#include <algorithm>
#include <array>

namespace flamingo::executor {

namespace {

digest parent_of(const digest& left, const digest& right, hash_function hash) {
  std::array<byte, 1 + 2 * digest::size> bytes{1};
  std::copy_n(left.bytes.begin(), digest::size, bytes.begin() + 1);
  std::copy_n(right.bytes.begin(), digest::size, bytes.begin() + 1 + digest::size);
  return hash(bytes);
}

}  // namespace

state_tree::state_tree(hash_function hash)
    : hash_(hash), nodes_(2 * bucket_count), leaf_set_(bucket_count), leaf_changed_(bucket_count) {}

void state_tree::set_leaf(std::uint16_t bucket, const digest& leaf) {
  if (!leaf_set_[bucket]) {
    leaf_set_[bucket] = true;
    ++set_count_;
  }
  nodes_[bucket_count + bucket] = leaf;
  if (leaf_changed_[bucket]) return;
  leaf_changed_[bucket] = true;
  changed_.push_back(static_cast<std::uint32_t>(bucket_count + bucket));
}

const digest& state_tree::root() {
  FLAMINGO_ASSERT(complete());
  for (const std::uint32_t leaf : changed_) leaf_changed_[leaf - bucket_count] = false;
  std::sort(changed_.begin(), changed_.end());
  // Level by level: the parents of what changed, each once.
  while (!changed_.empty() && changed_.front() > 1) {
    std::size_t kept = 0;
    for (const std::uint32_t child : changed_) {
      const std::uint32_t parent = child / 2;
      if (kept > 0 && changed_[kept - 1] == parent) continue;
      changed_[kept++] = parent;
      nodes_[parent] = parent_of(nodes_[2 * parent], nodes_[2 * parent + 1], hash_);
    }
    changed_.resize(kept);
  }
  changed_.clear();
  return nodes_[1];
}

std::vector<digest> state_tree::path(std::uint32_t first, std::uint32_t count) const {
  FLAMINGO_ASSERT(complete() && changed_.empty());
  std::vector<digest> out;
  for (std::size_t node = (bucket_count + first) / count; node > 1; node /= 2)
    out.push_back(nodes_[node ^ 1]);
  return out;
}

std::optional<digest> root_over(std::vector<digest> leaves, std::uint32_t first,
                                const std::vector<digest>& path, hash_function hash) {
  std::size_t node = (bucket_count + first) / leaves.size();
  for (std::size_t width = leaves.size(); width > 1; width /= 2)
    for (std::size_t i = 0; i < width / 2; ++i)
      leaves[i] = parent_of(leaves[2 * i], leaves[2 * i + 1], hash);
  digest root = leaves.front();
  for (const digest& other : path) {
    if (node <= 1) return std::nullopt;
    root = node % 2 == 0 ? parent_of(root, other, hash) : parent_of(other, root, hash);
    node /= 2;
  }
  if (node != 1) return std::nullopt;
  return root;
}

bool root_collector::add(state_leaves from) {
  if (from.executor.value >= max_group_executors || (root_ && from.index <= index_)) return false;
  const auto [index, who] = std::pair(from.index, from.executor);
  pending_[index].try_emplace(who, std::move(from));
  bool completed = false;
  while (!expected_.empty()) {
    const auto at = pending_.find(expected_.front().index);
    if (at == pending_.end()) break;
    pending& here = at->second;
    here.erase(here.lower_bound(executor_id{expected_.front().executors}), here.end());
    if (here.size() != expected_.front().executors) break;
    for (const auto& [executor, leaves] : here)
      for (std::size_t i = 0; i < leaves.buckets.size(); ++i)
        tree_.set_leaf(leaves.buckets[i], leaves.hashes[i]);
    if (tree_.complete()) {
      root_ = tree_.root();
      index_ = at->first;
      completed = true;
    }
    expected_.pop_front();
    pending_.erase(pending_.begin(), std::next(at));
  }
  return completed;
}

}  // namespace flamingo::executor
