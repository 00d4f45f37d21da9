// The state tree hashes only what changed and gives the root of all.
#include <doctest/doctest.h>

#include "tests/unit/executor_stream.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

int hashed = 0;
digest counting_hash(byte_span bytes) {
  ++hashed;
  return sha256(bytes);
}

digest plain_root(std::vector<digest> level) {
  while (level.size() > 1) {
    std::vector<digest> above;
    for (std::size_t i = 0; i < level.size(); i += 2) {
      std::vector<byte> bytes{1};
      bytes.insert(bytes.end(), level[i].bytes.begin(), level[i].bytes.end());
      bytes.insert(bytes.end(), level[i + 1].bytes.begin(), level[i + 1].bytes.end());
      above.push_back(sha256(bytes));
    }
    level = std::move(above);
  }
  return level[0];
}

digest leaf(std::uint64_t x) {
  return sha256(crypto::little_endian(x));
}

state_leaves leaves_of(std::uint16_t executor, std::uint16_t executors, std::uint64_t index,
                       std::uint64_t salt) {
  state_leaves x{executor_id{executor}, commit_index{index}, {}, {}};
  for (std::size_t b = executor; b < bucket_count; b += executors) {
    x.buckets.push_back(static_cast<std::uint16_t>(b));
    x.hashes.push_back(leaf(b + salt));
  }
  return x;
}

}  // namespace

TEST_SUITE("state_tree") {
  TEST_CASE("the root is that of a plain Merkle tree after any changes") {
    state_tree tree(&counting_hash);
    std::vector<digest> leaves(bucket_count);
    CHECK(!tree.complete());
    for (std::size_t b = 0; b < bucket_count; ++b) {
      leaves[b] = leaf(b);
      tree.set_leaf(static_cast<std::uint16_t>(b), leaves[b]);
    }
    REQUIRE(tree.complete());
    CHECK(tree.root() == plain_root(leaves));
    std::mt19937_64 rng(1);
    for (int round = 0; round < 5; ++round) {
      for (int i = 0; i < 20; ++i) {
        const auto bucket = static_cast<std::uint16_t>(rng());
        leaves[bucket] = leaf(rng());
        tree.set_leaf(bucket, leaves[bucket]);
      }
      CHECK(tree.root() == plain_root(leaves));
    }
  }

  TEST_CASE("only what lies above a changed leaf is hashed again") {
    state_tree tree(&counting_hash);
    for (std::size_t b = 0; b < bucket_count; ++b)
      tree.set_leaf(static_cast<std::uint16_t>(b), leaf(b));
    hashed = 0;
    tree.root();
    CHECK(hashed == bucket_count - 1);
    hashed = 0;
    tree.root();
    CHECK(hashed == 0);
    tree.set_leaf(1000, leaf(1));
    tree.set_leaf(1001, leaf(2));  // its sibling: the same path
    tree.set_leaf(1000, leaf(3));
    tree.root();
    CHECK(hashed == 16);
  }

  TEST_CASE("a subtree's leaves and its path give the root, and nothing else does") {
    state_tree tree(&sha256);
    std::vector<digest> leaves;
    for (std::size_t b = 0; b < bucket_count; ++b) {
      leaves.push_back(leaf(b));
      tree.set_leaf(static_cast<std::uint16_t>(b), leaves[b]);
    }
    const digest root = tree.root();
    for (const auto& [first, count] : {std::pair<std::uint32_t, std::uint32_t>{0, 1},
                                       {65535, 1},
                                       {256, 256},
                                       {32768, 32768},
                                       {0, 65536}}) {
      CAPTURE(first);
      CAPTURE(count);
      const std::vector<digest> part(leaves.begin() + first, leaves.begin() + first + count);
      const auto path = tree.path(first, count);
      CHECK(root_over(part, first, path, &sha256) == root);
      auto wrong = part;
      wrong.back().bytes[3] ^= 1;
      CHECK(root_over(wrong, first, path, &sha256) != root);
      if (path.empty()) continue;
      CHECK(root_over(part, first ^ count, path, &sha256) != root);  // in another place
      auto longer = path, shorter = path;
      longer.push_back({});
      shorter.pop_back();
      CHECK(!root_over(part, first, longer, &sha256));
      CHECK(!root_over(part, first, shorter, &sha256));
    }
  }

  TEST_CASE("a root is there when every executor's leaves came in whatever order") {
    root_collector roots(&sha256);
    roots.expect(commit_index{5}, 2);
    roots.expect(commit_index{9}, 2);
    CHECK(!roots.add(leaves_of(0, 2, 9, 7)));
    CHECK(!roots.add(leaves_of(1, 2, 9, 7)));  // the leaves at 5 come first
    CHECK(!roots.add(leaves_of(1, 2, 5, 3)));
    CHECK(!roots.add(leaves_of(1, 2, 5, 3)));  // twice counts once
    CHECK(!roots.root());
    CHECK(roots.add(leaves_of(0, 2, 5, 3)));
    CHECK(roots.index() == commit_index{9});
    std::vector<digest> leaves;
    for (std::size_t b = 0; b < bucket_count; ++b) leaves.push_back(leaf(b + 7));
    CHECK(roots.root() == plain_root(leaves));
    CHECK(!roots.add(leaves_of(0, 2, 5, 1)));   // over
    CHECK(!roots.add(leaves_of(2, 2, 12, 1)));  // nobody of the group
  }
}
