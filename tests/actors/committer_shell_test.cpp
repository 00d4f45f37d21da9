// The committer's shell: a commit is durable before anybody hears of it, and a restart neither
// loses nor repeats one.
#include <doctest/doctest.h>

#include "tests/actors/committer_bench.hpp"

using namespace flamingo;
using namespace flamingo::committer::test;
using namespace std::chrono_literals;

namespace {

digest d(byte x) {
  digest result;
  result.bytes[0] = x;
  return result;
}

index_frame bundles(byte batch, std::uint64_t first, std::size_t count) {
  batch_index x{d(batch), validator_id{0}, worker_id{0}, {}};
  for (std::size_t i = 0; i < count; ++i)
    x.bundles.push_back({d(byte(100 + i)), client_id{1}, bundle_sequence{first + i},
                         validator_id{0}, round_number{1000}, 2, false});
  return encode(x);
}

std::vector<std::uint64_t> indexes(const std::vector<sequenced_sub_dag>& x) {
  std::vector<std::uint64_t> result;
  for (const auto& y : x) result.push_back(y.index.value);
  return result;
}
std::vector<std::uint64_t> numbers(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> result;
  for (; first <= last; ++first) result.push_back(first);
  return result;
}

}  // namespace

TEST_SUITE("committer actor") {
  TEST_CASE("nothing leaves before the commit is durable") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    b.run_to_round(3);
    CHECK(b.store->pending() == 1);
    CHECK(x->notices.empty());
    CHECK(x->signals.empty());
    CHECK(x->controls.empty());
    CHECK(x->by_worker.empty());
    CHECK(x->by_executor.empty());
    b.sync();
    CHECK(x->notices.size() == 1);
    CHECK(x->notices_to_worker == 1);
    CHECK(x->signals.size() == 1);
    CHECK(x->controls.size() == 1);
    CHECK(indexes(x->by_worker) == numbers(1, 1));
    CHECK(indexes(x->by_executor) == numbers(1, 1));
    CHECK(b.failures.empty());
  }

  TEST_CASE("neighbours that are introduced again hear each commit once") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    for (int i = 0; i < 3; ++i) b.introduce();
    b.run();
    b.run_to_round(3);
    b.sync();
    CHECK(x->notices.size() == 1);
    CHECK(x->notices_to_worker == 1);
    CHECK(x->signals.size() == 1);
    CHECK(x->controls.size() == 1);
    CHECK(indexes(x->by_worker) == numbers(1, 1));
    CHECK(indexes(x->by_executor) == numbers(1, 1));
  }

  TEST_CASE("a commit that a crash swallowed comes again, the same, and is told once") {
    bench b;
    auto x = b.boot();
    b.replay(0);
    b.run_to_round(7);
    REQUIRE(b.store->pending() == 3);
    b.store->sync(1);
    b.run();
    CHECK(indexes(x->by_executor) == numbers(1, 1));
    b.crash();

    const auto y = b.boot();
    REQUIRE(y->notices.size() == 1);  // what was committed, for those that rebuilt themselves
    CHECK(y->notices[0].index == commit_index{1});
    CHECK(y->notices[0].output == x->notices[0].output);
    CHECK(y->notices[0].floor == x->notices[0].floor);
    b.replay(1);
    b.run_to_round(7);
    b.sync();
    CHECK(indexes(y->by_executor) == numbers(2, 3));
    CHECK(y->notices.size() == 3);

    // A validator that never stopped has the same chain.
    bench other;
    const auto z = other.boot();
    other.replay(0);
    other.run_to_round(7);
    other.sync();
    REQUIRE(indexes(z->by_executor) == numbers(1, 3));
    CHECK(z->by_executor[0].chain == x->by_executor[0].chain);
    CHECK(z->by_executor[1].chain == y->by_executor[0].chain);
    CHECK(z->by_executor[2].chain == y->by_executor[1].chain);
    CHECK(z->by_executor[0].chain != z->by_executor[1].chain);
    CHECK(z->by_executor[0].chain != digest{});
  }

  TEST_CASE("restarted after every commit, it gives one stream without gap or duplicate") {
    bench whole, torn;
    const auto x = whole.boot();
    whole.replay(0);
    std::vector<sequenced_sub_dag> pieces;
    for (std::uint64_t round = 3; round <= 25; round += 2) {
      whole.run_to_round(round);
      whole.sync();
      whole.progress(x->by_executor.size());
      const auto y = torn.boot();
      torn.replay(pieces.size());
      torn.run_to_round(round);
      torn.sync();
      pieces.insert(pieces.end(), y->by_executor.begin(), y->by_executor.end());
      torn.crash();
    }
    CHECK(indexes(x->by_executor) == numbers(1, 12));
    REQUIRE(indexes(pieces) == numbers(1, 12));
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      CHECK(pieces[i].chain == x->by_executor[i].chain);
      CHECK(pieces[i].snapshot == ((i + 1) % 4 == 0));
    }
  }

  TEST_CASE("a replay comes from the store, goes over into the live stream, and is paced") {
    bench b;
    auto x = b.boot();
    b.run_to_round(41);
    b.sync();
    CHECK(x->notices.size() == 20);
    CHECK(x->by_executor.empty());  // it has not asked
    b.replay(0);
    CHECK(indexes(x->by_executor) == numbers(1, 4));  // older than what is held in memory
    for (std::uint64_t executed = 1; executed <= 20; ++executed) b.progress(executed);
    CHECK(indexes(x->by_executor) == numbers(1, 20));
    b.run_to_round(43);
    CHECK(x->by_executor.size() == 20);
    b.sync();
    CHECK(indexes(x->by_executor) == numbers(1, 21));
    CHECK(indexes(x->by_worker) == numbers(1, 21));
    b.replay(17);
    CHECK(indexes(x->by_executor).back() == 21);
    CHECK(x->by_executor.size() == 25);
    CHECK(x->by_executor[21].chain == x->by_executor[17].chain);
  }

  TEST_CASE("commits are erased behind the last two snapshots, and who asks for them ends it") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    for (std::uint64_t round = 3; round <= 41; round += 2) {
      b.run_to_round(round);
      b.sync();
      b.progress(x->by_executor.size(), x->by_executor.size() / 4 * 4);
    }
    REQUIRE(x->by_executor.size() == 20);
    std::vector<std::uint64_t> kept;
    b.store->scan(storage::table::commits, storage::key(), storage::key::end(),
                  [&](byte_span at, byte_span) {
                    kept.push_back(storage::number_at<std::uint64_t>(at, 0));
                    return true;
                  });
    CHECK(kept == numbers(13, 20));  // it knew of snapshot 16, and the one before was 12
    b.replay(12);
    CHECK(b.failures.empty());
    b.replay(11);
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("executor 0") != std::string::npos);
    CHECK(b.failures[0].find("commit 11") != std::string::npos);
  }

  TEST_CASE("missing bundles are asked of the worker until they come, and are sequenced") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    b.make_round({d(1)});
    b.make_round({d(2)});
    // The anchor of wave 1 may be another's header than that which carries the batch: go on.
    b.run_to_round(5);
    b.sync();
    REQUIRE(x->wanted.size() >= 1);
    CHECK(x->wanted[0].signers == std::vector{validator_id{0}, validator_id{1}, validator_id{2}});
    const auto asked = x->wanted.size();
    b.advance(b.local.fetch_retry - 1ms);
    CHECK(x->wanted.size() == asked);
    b.advance(1ms);
    CHECK(x->wanted.size() == 2 * asked);
    b.tell(bundles(2, 2, 2));  // the client's second and third
    b.tell(bundles(1, 1, 2));  // its first, and its second again
    b.sync();
    REQUIRE(indexes(x->by_executor) == numbers(1, 2));
    std::vector<verdict> verdicts;
    for (const auto& sub_dag : x->by_executor)
      for (const auto& batch : sub_dag.batches)
        for (const auto& bundle : batch.bundles) verdicts.push_back(bundle.what);
    CHECK(verdicts ==
          std::vector{verdict::fresh, verdict::fresh, verdict::duplicate, verdict::fresh});
    CHECK(b.value("flamingo_committer_bundles_total", {{"verdict", "fresh"}}) == 3);
    CHECK(b.value("flamingo_committer_bundles_total", {{"verdict", "duplicate"}}) == 1);
    CHECK(b.value("flamingo_committer_transactions_total") == 6);

    // What was consumed stays so after a restart.
    b.crash();
    const auto y = b.boot();
    b.make_round({d(3)});
    b.run_to_round(9);
    b.tell(bundles(3, 1, 4));
    b.sync();
    b.replay(2);
    REQUIRE(!y->by_executor.empty());
    const auto& last = y->by_executor.back();
    CHECK(last.first_position == stream_position{6});
    REQUIRE(last.batches.size() == 1);
    CHECK(last.batches[0].bundles[2].what == verdict::duplicate);
    CHECK(last.batches[0].bundles[3].what == verdict::fresh);
  }

  TEST_CASE("a withdrawal is answered with the newest commit, and its batch is asked for again") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    b.tell(bundles(1, 1, 2));
    b.run_to_round(5);
    b.tell(encode(batch_withdrawal{3, worker_id{0}, {d(1)}}));
    b.tell(encode(batch_withdrawal{4, worker_id{1}, {d(1)}}));  // of nobody
    CHECK(x->noted.empty());  // commits are on their way to the disk
    b.sync();
    REQUIRE(!x->by_worker.empty());
    CHECK(x->noted == std::vector{withdrawal_noted{3, x->by_worker.back().anchor_round, {}, true}});
    b.make_round({d(1)});
    b.run_to_round(11);
    b.sync();
    CHECK(x->wanted.size() == 1);
    b.tell(bundles(1, 1, 2));
    b.sync();
    REQUIRE(!x->by_worker.empty());
    const auto batches_of = [](const auto& list) {
      std::size_t count = 0;
      for (const auto& sub_dag : list) count += sub_dag.batches.size();
      return count;
    };
    CHECK(batches_of(x->by_worker) == 1);
  }

  TEST_CASE("status says how far ordering and execution are") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    b.run_to_round(8);
    b.sync();
    execution_progress progress;
    progress.index = commit_index{3};
    progress.state_root = d(5);
    progress.state_root_index = commit_index{2};
    b.tell(encode(progress));
    b.advance(1ms);
    const caf::scoped_actor self{b.system};
    auto answer = self->request(b.role, caf::infinite, atom::status_v);
    b.run();
    std::optional<operator_message> message;
    answer.receive([&](const operator_frame& frame) { message = decode(frame); },
                   [](const caf::error&) {});
    REQUIRE(message);
    const auto& report = std::get<status_report>(*message);
    CHECK(report.validator == validator_id{0});
    CHECK(report.index == commit_index{3});
    CHECK(report.anchor_round == round_number{5});
    CHECK(report.round == round_number{8});
    CHECK(report.executed == commit_index{3});
    CHECK(report.state_root == d(5));
    CHECK(report.chain == x->by_executor.back().chain);
    CHECK(report.queue_delays.size() == 4);
    CHECK(report.queue_delays[3] == 300us);
    REQUIRE(report.committed_before);
    CHECK(report.committed_before->count == 0);
    CHECK(report.committed_before->ago > 0us);
    CHECK(b.value("flamingo_committer_commit_index") == 3);
    CHECK(b.value("flamingo_committer_executed_index") == 3);
    CHECK(b.value("flamingo_committer_commits_total") == 3);
    CHECK(b.value("flamingo_committer_batch_wait_seconds") == 3);
  }

  TEST_CASE("frames that are no messages are counted and change nothing") {
    bench b;
    b.boot();
    const shared_bytes garbage(std::vector<char>(64, '\x5a'));
    b.tell(certified_frame(garbage));
    b.tell(index_frame(garbage));
    b.tell(withdrawal_frame(garbage));
    b.tell(progress_frame(garbage));
    CHECK(b.rejected("committer", reject::malformed) == 4);
    b.run_to_round(3);
    CHECK(b.store->pending() == 1);
    CHECK(b.failures.empty());
  }

  TEST_CASE("a store that refuses stops the validator, and nothing leaves") {
    bench b;
    const auto x = b.boot();
    b.replay(0);
    b.store->fail(storage::failure::disk_full);
    b.run_to_round(3);
    b.sync();
    CHECK(x->notices.empty());
    CHECK(x->by_executor.empty());
    CHECK(!b.failures.empty());
  }

  TEST_CASE("a damaged store is refused at the start in one line") {
    bench b;
    storage::write_batch writes;
    writes.put(storage::table::state, storage::key::of(std::uint8_t{'h'}), std::vector<char>(5));
    b.store->write(std::move(writes), [](const auto&) {});
    b.store->sync();
    b.boot();
    REQUIRE(b.failures.size() == 1);
    CHECK(b.failures[0].find("damaged") != std::string::npos);
  }
}
