// What executors say survives the trip, and no damaged frame is taken or crashes.
#include "messages/codec_executor.hpp"

#include <doctest/doctest.h>

#include <random>

using namespace flamingo;

namespace {

digest d(unsigned seed) {
  digest x;
  std::mt19937 rng(seed);
  for (auto& b : x.bytes) b = static_cast<byte>(rng());
  return x;
}

pushed_values example_push() {
  return {stream_position{7000},
          executor_id{3},
          commit_index{12},
          commit_index{10},
          {1, 999, 5},
          {~std::uint64_t{0}, 0, 17},
          std::vector<byte>(48, 0xab),
          commit_index{11}};
}
requested_values example_request() {
  return {stream_position{~std::uint64_t{0}}, executor_id{65535}, {0, 3, 0xffffffff}};
}
reported_results example_results() {
  return {stream_position{7000},
          executor_id{1},
          {0, 3, 998},
          {result_code::applied, result_code::overdrawn, result_code::invalid_same}};
}
executed_bundles example_bundles() {
  executed_bundles x{commit_index{5}, round_number{9}, {}, {0, 1, 2, 8, 7}};
  x.bundles = {
      {client_id{4}, bundle_sequence{77}, d(1), validator_id{2}, 0, 3},
      {client_id{0xffffffff}, bundle_sequence{~std::uint64_t{0}}, d(2), validator_id{65535}, 3, 0},
      {client_id{1}, bundle_sequence{1}, d(3), validator_id{0}, 3, 2}};
  return x;
}
state_leaves example_leaves() {
  return {executor_id{1}, commit_index{50}, {0, 7, 65535}, {d(1), d(2), d(3)}};
}

snapshot_chunk example_chunk() {
  return {executor_id{1}, 7,   commit_index{9}, 4, 16, true, false, {1, 5},
          {2, 5},         {5}, {1, 2, 3, 4, 5}};
}

snapshot_part example_part() {
  return {commit_index{9}, 7, 16, 8192, {{1, 0, 3}, {5, 0, 6, 7}}};
}

/// Decodes damaged copies of a frame: flipped bits, cut ends.
template <class Schema>
void decode_damaged(const wire<Schema>& frame, unsigned seed) {
  CAPTURE(seed);
  std::mt19937 rng(seed);
  const byte_span good = frame.bytes();
  for (int i = 0; i < 3000; ++i) {
    std::vector<char> bytes(good.begin(), good.end());
    const auto flips = 1 + rng() % 8;
    for (unsigned k = 0; k < flips; ++k)
      bytes[rng() % bytes.size()] ^= static_cast<char>(1 << rng() % 8);
    if (rng() % 4 == 0) bytes.resize(rng() % (bytes.size() + 1));
    const auto x = decode(wire<Schema>(shared_bytes(std::move(bytes))));
    if (x) CHECK(decode(encode(*x)) == x);
  }
}

}  // namespace

TEST_SUITE("codec_executor") {
  TEST_CASE("what executors say survives the trip") {
    CHECK(decode(encode(example_push())) == example_push());
    CHECK(decode(encode(pushed_values{})) == pushed_values{});
    CHECK(decode(encode(example_request())) == example_request());
    CHECK(decode(encode(requested_values{})) == requested_values{});
    CHECK(decode(encode(example_results())) == example_results());
    CHECK(decode(encode(example_bundles())) == example_bundles());
    CHECK(decode(encode(example_leaves())) == example_leaves());
    CHECK(decode(encode(example_chunk())) == example_chunk());
    CHECK(decode(encode(example_part())) == example_part());
    execution_progress progress{executor_id{2},  commit_index{9}, 12345,
                                commit_index{8}, std::nullopt,    commit_index{0}};
    CHECK(decode(encode(progress)) == progress);
    progress.state_root = d(4);
    progress.state_root_index = commit_index{8};
    CHECK(decode(encode(progress)) == progress);
  }

  TEST_CASE("pushed values whose lists differ in length are refused") {
    auto x = example_push();
    x.keys.pop_back();
    CHECK(!decode(encode(x)));
    x = example_push();
    x.values.pop_back();
    CHECK(!decode(encode(x)));
    x = example_push();
    x.values.clear();
    CHECK(!decode(encode(x)));
    x = example_push();
    x.transactions.clear(), x.keys.clear();
    CHECK(!decode(encode(x)));
  }

  TEST_CASE("a result code that does not exist is refused") {
    auto results = example_results();
    results.codes[1] = result_code::conflict;  // the last one
    CHECK(decode(encode(results)));
    results.codes[1] = static_cast<result_code>(10);
    CHECK(!decode(encode(results)));
    auto bundles = example_bundles();
    bundles.results[4] = 255;
    CHECK(!decode(encode(bundles)));
  }

  TEST_CASE("buckets of a snapshot whose bytes do not add up are refused") {
    auto x = example_chunk();
    x.ends = {3, 2};
    CHECK(!decode(encode(x)));
    x = example_chunk();
    x.bytes.pop_back();
    CHECK(!decode(encode(x)));
    x = example_chunk();
    x.ends.pop_back();
    CHECK(!decode(encode(x)));
  }

  TEST_CASE("leaves out of order or without their hashes are refused") {
    auto x = example_leaves();
    x.buckets[1] = 0;
    CHECK(!decode(encode(x)));
    x = example_leaves();
    x.hashes.pop_back();
    CHECK(!decode(encode(x)));
  }

  TEST_CASE("a root of another size is refused") {
    capnp::MallocMessageBuilder message;
    const std::vector<byte> short_root(31);
    message.initRoot<schema::Progress>().setStateRoot({short_root.data(), short_root.size()});
    CHECK(!decode(wire<schema::Progress>(message)));
  }

  TEST_CASE("damaged frames of executors are survived") {
    decode_damaged(encode(example_push()), 1);
    decode_damaged(encode(example_results()), 2);
    decode_damaged(encode(example_bundles()), 3);
    decode_damaged(encode(example_leaves()), 4);
    decode_damaged(encode(example_request()), 6);
    decode_damaged(encode(example_chunk()), 7);
    decode_damaged(encode(snapshot_wanted{executor_id{1}, 4, commit_index{9}, 7}), 8);
    decode_damaged(encode(example_part()), 9);
    decode_damaged(
        encode(execution_progress{executor_id{}, commit_index{9}, 1, commit_index{8}, d(4), {}}),
        5);
  }
}
