// Executors get the stream in order, without gaps, paced by the slowest; and bundles of batches are
// kept within bounds.
#include <doctest/doctest.h>

#include "actors/committer/batch_indexes.hpp"
#include "actors/committer/execution_stream.hpp"

using namespace flamingo;
using namespace flamingo::committer;
using namespace std::chrono_literals;

namespace {

constexpr executor_id e0{0}, e1{1};

execution_progress progress(executor_id who, std::uint64_t index, std::uint64_t snapshot = 0) {
  execution_progress x;
  x.executor = who;
  x.index = commit_index{index};
  x.snapshot = commit_index{snapshot};
  return x;
}

std::vector<std::uint64_t> indexes(const std::vector<stream_part>& parts, executor_id who) {
  std::vector<std::uint64_t> result;
  for (const auto& part : parts)
    if (std::find(part.to.begin(), part.to.end(), who) != part.to.end())
      result.push_back(part.index.value);
  return result;
}

digest d(byte x) {
  digest result;
  result.bytes[0] = x;
  return result;
}

batch_index batch(byte id, std::uint16_t author, std::size_t bundles) {
  return {d(id), validator_id{author}, worker_id{0}, std::vector<bundle_head>(bundles)};
}

wanted_batch want(byte id, std::uint16_t author = 0) {
  return {d(id), validator_id{author}, worker_id{0}, {}};
}

}  // namespace

TEST_SUITE("committer") {
  TEST_CASE("an executor gets nothing before it asks, and then everything in order") {
    execution_stream x(2, 100);
    CHECK(x.send(commit_index{3}).empty());
    x.replay(e0, commit_index{0});
    CHECK(indexes(x.send(commit_index{3}), e0) == std::vector<std::uint64_t>{1, 2, 3});
    CHECK(x.send(commit_index{3}).empty());
    x.progress(progress(e0, 3));
    CHECK(indexes(x.send(commit_index{5}), e0) == std::vector<std::uint64_t>{4, 5});
    x.replay(e1, commit_index{4});
    CHECK(indexes(x.send(commit_index{5}), e1) == std::vector<std::uint64_t>{5});
    const auto both = x.send(commit_index{6});
    REQUIRE(both.size() == 1);
    CHECK(both[0].to == std::vector{e0, e1});
  }

  TEST_CASE("nobody is sent more than a window ahead of the slowest executor") {
    execution_stream x(2, 4);
    x.replay(e0, commit_index{0});
    x.replay(e1, commit_index{0});
    CHECK(indexes(x.send(commit_index{100}), e0) == std::vector<std::uint64_t>{1, 2, 3, 4});
    x.progress(progress(e0, 4));
    CHECK(x.send(commit_index{100}).empty());
    CHECK(x.executed() == commit_index{0});
    x.progress(progress(e1, 3));
    const auto more = x.send(commit_index{100});
    CHECK(indexes(more, e0) == std::vector<std::uint64_t>{5, 6, 7});
    CHECK(indexes(more, e1) == std::vector<std::uint64_t>{5, 6, 7});
    CHECK(x.executed() == commit_index{3});
  }

  TEST_CASE("a replay goes over into the live stream without a gap or a duplicate") {
    execution_stream x(2, 8);
    x.replay(e0, commit_index{0});
    x.replay(e1, commit_index{0});
    std::uint64_t executed = 0, seen = 0, other = 0, committed = 0;
    for (int round = 0; round < 200; ++round) {
      if (round == 60) {  // executor 1 went back to a snapshot
        x.replay(e1, commit_index{10});
        executed = seen = 10;
      }
      ++committed;
      const auto parts = x.send(commit_index{committed});
      for (const auto index : indexes(parts, e1)) REQUIRE(index == ++seen);
      for (const auto index : indexes(parts, e0)) REQUIRE(index == ++other);
      x.progress(progress(e0, other));
      executed = std::min(seen, executed + 3);
      x.progress(progress(e1, executed));
    }
    CHECK(seen == committed);
    CHECK(other == committed);
  }

  TEST_CASE("who asks again and again is sent little, and more once it gets on") {
    execution_stream x(1, 64);
    for (int i = 0; i < 5; ++i) {
      x.replay(e0, commit_index{10});
      CHECK(x.send(commit_index{500}).size() == 4);
    }
    std::size_t sent = 4;
    for (std::uint64_t executed = 11; sent < 64; ++executed) {
      x.progress(progress(e0, executed));
      sent = x.send(commit_index{500}).back().index.value - executed;
      CHECK(executed < 16);
    }
    // It has more than it executed, and lacks what follows.
    x.replay(e0, commit_index{40});
    CHECK(x.executed() < commit_index{40});
    CHECK(indexes(x.send(commit_index{500}), e0) == std::vector<std::uint64_t>{41, 42, 43, 44});
  }

  TEST_CASE("whoever is met again gets again what it has not said to have executed") {
    execution_stream x(2, 100);
    x.resend(e0);  // the first time nobody is known
    CHECK(x.send(commit_index{3}).empty());
    x.replay(e0, commit_index{0});
    x.replay(e1, commit_index{0});
    x.send(commit_index{4});
    x.progress(progress(e0, 2));
    x.progress(progress(e1, 3));
    x.resend(e0);
    auto parts = x.send(commit_index{4});
    CHECK(indexes(parts, e0) == std::vector<std::uint64_t>{3, 4});
    CHECK(indexes(parts, e1).empty());
    x.resend();  // a worker was lost, and with it what it was to give them
    parts = x.send(commit_index{4});
    CHECK(indexes(parts, e0) == std::vector<std::uint64_t>{3, 4});
    CHECK(indexes(parts, e1) == std::vector<std::uint64_t>{4});
  }

  TEST_CASE("executors that replay together share what is sent to the workers") {
    execution_stream x(2, 4);
    x.replay(e0, commit_index{0});
    auto sent = x.send(commit_index{50}).size();
    x.replay(e1, commit_index{0});
    for (std::uint64_t i = 0; i < 50; ++i) {
      sent += x.send(commit_index{50}).size();
      x.progress(progress(e0, std::min<std::uint64_t>(50, i)));
      x.progress(progress(e1, std::min<std::uint64_t>(50, i)));
    }
    sent += x.send(commit_index{50}).size();
    CHECK(sent == 54);  // the four that the first one got before the second asked, twice
  }

  TEST_CASE("what an executor had executed when it is met again counts, however late it comes") {
    execution_stream x(1, 4);
    x.replay(e0, commit_index{0});
    x.send(commit_index{100});
    x.progress(progress(e0, 1));
    CHECK(indexes(x.send(commit_index{100}), e0) == std::vector<std::uint64_t>{5});
    x.resend(e0);  // while it says that it has executed all of them, once
    x.progress(progress(e0, 5));
    CHECK(x.executed() == commit_index{5});
    CHECK(indexes(x.send(commit_index{100}), e0) == std::vector<std::uint64_t>{6, 7, 8, 9});
  }

  TEST_CASE("an executor of an earlier life is not heard any more") {
    execution_stream x(1, 4);
    x.replay(e0, commit_index{10}, 2);
    auto late = progress(e0, 12);
    late.life = 1;
    x.send(commit_index{100});
    x.progress(late);
    CHECK(x.executed() == commit_index{10});
    x.replay(e0, commit_index{0}, 1);
    CHECK(x.send(commit_index{100}).empty());
    late.life = 2;
    x.progress(late);
    CHECK(x.executed() == commit_index{12});
  }

  TEST_CASE("who has left is waited for no longer, and who joins counts from its entry on") {
    execution_stream x(2, 4);
    x.replay(e0, commit_index{0});
    x.replay(e1, commit_index{0});
    x.send(commit_index{100});
    x.progress(progress(e0, 4, 4));
    CHECK(x.executed() == commit_index{0});
    x.regroup(1);
    CHECK(x.executed() == commit_index{4});
    CHECK(x.snapshot() == commit_index{4});
    CHECK(x.send(commit_index{100}).empty());  // it still reads along
    x.left(e1);
    CHECK(indexes(x.send(commit_index{100}), e0) == std::vector<std::uint64_t>{5, 6, 7, 8});
    x.regroup(2);
    CHECK(x.executed() == commit_index{0});
  }

  TEST_CASE("a snapshot counts when every executor has it") {
    execution_stream x(2, 4);
    x.replay(e0, commit_index{0});
    x.progress(progress(e0, 0, 50));
    CHECK(x.snapshot() == commit_index{0});
    x.replay(e1, commit_index{0});
    CHECK(x.snapshot() == commit_index{0});
    x.progress(progress(e1, 0, 100));
    CHECK(x.snapshot() == commit_index{50});
  }

  TEST_CASE("bundles of batches that nobody waits for are kept within each author's share") {
    batch_indexes x(4, 40);
    for (byte i = 0; i < 50; ++i) x.arrived(batch(i, 1, 3));
    CHECK(x.cached_bundles(validator_id{1}) == 9);
    x.arrived(batch(100, 2, 10));
    CHECK(x.cached_bundles(validator_id{2}) == 10);
    x.need(want(100, 2));
    CHECK(x.find(d(100))->size() == 10);
    CHECK(x.cached_bundles(validator_id{2}) == 0);
    x.need(want(0, 1));
    CHECK(!x.find(d(0)));  // displaced: it has to be asked for
    x.need(want(49, 1));
    CHECK(x.find(d(49)));
    for (int i = 0; i < 500; ++i) x.arrived(batch(byte(i), 3, 0));
    CHECK(x.cached_bundles(validator_id{3}) <= 10);
    x.arrived(batch(7, 9, 1));  // of nobody
  }

  TEST_CASE("the bundles of a batch that its worker gives up are forgotten, unless it is needed") {
    batch_indexes x(4, 40);
    for (byte i = 0; i < 3; ++i) x.arrived(batch(i, 1, 2));
    x.need(want(0, 1));
    x.need(want(9, 2));
    CHECK(x.forget({d(0), d(1), d(7), d(9)}) == std::vector{d(0), d(9)});
    CHECK(x.find(d(0))->size() == 2);
    CHECK(x.cached_batches(validator_id{1}) == 1);
    CHECK(x.cached_bundles(validator_id{1}) == 2);
    x.need(want(1, 1));
    CHECK(!x.find(d(1)));
    CHECK(x.arrived(batch(1, 1, 2)));  // told again
    CHECK(x.find(d(1))->size() == 2);
    x.need(want(2, 1));
    CHECK(x.find(d(2))->size() == 2);
  }

  TEST_CASE("what committed is forgotten, even behind a batch that never commits") {
    batch_indexes x(4, 4000);
    x.arrived(batch(0, 1, 3));
    for (unsigned i = 0; i < 10'000; ++i) {
      batch_index next = batch(1, 1, 3);
      next.id.bytes[1] = static_cast<byte>(i);
      next.id.bytes[2] = static_cast<byte>(i >> 8);
      x.arrived(next);
      x.need({next.id, validator_id{1}, worker_id{0}, {}});
      x.release(next.id);
    }
    CHECK(x.cached_batches(validator_id{1}) == 1);
    CHECK(x.cached_bundles(validator_id{1}) == 3);
  }

  TEST_CASE("a needed batch is kept however much else comes, until its last user released it") {
    batch_indexes x(4, 8);
    x.need(want(1));
    x.need(want(1));
    CHECK(x.arrived(batch(1, 0, 20)));
    CHECK(!x.arrived(batch(1, 0, 20)));
    for (byte i = 2; i < 60; ++i) x.arrived(batch(i, 0, 2));
    CHECK(x.find(d(1))->size() == 20);
    x.release(d(1));
    CHECK(x.find(d(1))->size() == 20);
  }

  TEST_CASE("a missing batch is asked for again only after the retry time") {
    batch_indexes x(4, 8);
    x.need(want(1));
    std::vector<wanted_batch> asked;
    const time_point t{1s};
    CHECK(x.ask(d(1), t, 200ms, asked) == t + 200ms);
    CHECK(asked.size() == 1);
    CHECK(x.ask(d(1), t + 199ms, 200ms, asked) == t + 200ms);
    CHECK(asked.size() == 1);
    CHECK(x.ask(d(1), t + 200ms, 200ms, asked) == t + 400ms);
    CHECK(asked.size() == 2);
    x.arrived(batch(1, 0, 1));
    CHECK(!x.ask(d(1), t + 900ms, 200ms, asked));
    CHECK(asked.size() == 2);
  }
}
