// Each checker is silent about a history in which everything holds, and speaks when one thing in it
// does not.
#include <doctest/doctest.h>

#include "actors/executor/applications/smallbank.hpp"
#include "crypto/hash.hpp"
#include "messages/stream_operations.hpp"
#include "tests/sim/checkers/agreement.hpp"
#include "tests/sim/checkers/assignment_tables.hpp"
#include "tests/sim/checkers/deletion.hpp"
#include "tests/sim/checkers/durability.hpp"
#include "tests/sim/checkers/exactly_once.hpp"
#include "tests/sim/checkers/lazy_observers.hpp"
#include "tests/sim/checkers/liveness.hpp"
#include "tests/sim/checkers/no_double_commit.hpp"
#include "tests/sim/checkers/serial_execution.hpp"
#include "tests/sim/tests/made_up_history.hpp"

namespace {

using namespace flamingo;
using namespace flamingo::sim::checkers;
using test::digest_of;
using test::made_up_history;

constexpr validator_id v0{0}, v1{1};
constexpr client_id c0{0};

std::string text(const violations& x) {
  std::string out;
  for (const auto& y : x) out += y.property + ": " + y.what + "\n";
  return out;
}

violations lazily(const made_up_history& x, unsigned observers = 12) {
  return lazy_observers(
      x.run, [&](wave_number w) { return x.leader(w); }, 3, observers);
}

TEST_SUITE("checkers") {
  TEST_CASE("a history in which everything holds is passed by every checker") {
    made_up_history x;
    REQUIRE(x.run.of[0].commits.size() > 8);
    CHECK(text(agreement(x.run)) == "");
    CHECK(text(no_double_commit(x.run)) == "");
    CHECK(text(exactly_once(x.run)) == "");
    CHECK(text(admitted_are_committed(x.run)) == "");
    CHECK(text(lazily(x)) == "");
  }

  TEST_CASE("agreement: two honest logs that differ in one byte are a fork") {
    made_up_history x;
    x.commit(v1, 4).stream.batches.back().bundles.back().what = verdict::duplicate;
    made_up_history::rewrite(x.commit(v1, 4));
    const auto found = agreement(x.run);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what.find("commit 4 is") == 0);
    CHECK(found[0].what.find("at v1") != std::string::npos);
    x.run.of[1].honest = false;
    CHECK(agreement(x.run).empty());
  }

  TEST_CASE("agreement: a log with a gap, or whose rounds fall, is no chain") {
    made_up_history gap;
    gap.run.of[0].commits.erase(commit_index{3});
    CHECK(text(agreement(gap.run)).find("commit 3 is gone") != std::string::npos);
    made_up_history falls;
    for (auto& of : falls.run.of) of.commits.at(commit_index{3}).stream.anchor_round = {};
    CHECK(text(agreement(falls.run)).find("not above the last") != std::string::npos);
    made_up_history rewritten;
    rewritten.run.of[0].rewritten.push_back("commit 2 was written again with other bytes");
    CHECK(agreement(rewritten.run).size() == 1);
  }

  TEST_CASE("no double commit: two certified headers of one author and round") {
    made_up_history x;
    auto other = x.run.certified.begin()->second;
    other.hdr.id = digest_of(99);
    x.run.certified.emplace(other.hdr.id, other);
    const auto found = no_double_commit(x.run);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what.find("are certified") != std::string::npos);
  }

  TEST_CASE("no double commit: a bundle that is fresh twice") {
    made_up_history x;
    auto& batches = x.commit(v0, 5).stream.batches;
    batches.push_back(x.commit(v0, 2).stream.batches.front());
    CHECK(text(no_double_commit(x.run)).find("is fresh again after commit 2") != std::string::npos);
    batches.back().bundles.front().what = verdict::duplicate;
    CHECK(no_double_commit(x.run).empty());
  }

  TEST_CASE("no double commit: an anchor that is committed twice") {
    made_up_history x;
    x.commit(v0, 5).stream.anchor = x.commit(v0, 4).stream.anchor;
    CHECK(text(no_double_commit(x.run)).find("was committed before") != std::string::npos);
  }

  TEST_CASE("exactly once: a verdict that a plain sequencer does not give") {
    made_up_history x;
    x.commit(v0, 5).stream.batches.front().bundles.front().what = verdict::duplicate;
    CHECK(text(exactly_once(x.run)).find("is duplicate, and should be fresh") != std::string::npos);
  }

  TEST_CASE("exactly once: a window that slides past a gap takes what is out of it") {
    made_up_history x;
    x.run.protocol.bundle_window = 8;  // the log's bundles are further apart than that
    CHECK(text(exactly_once(x.run)).find("is fresh, and should be out of window") !=
          std::string::npos);
  }

  TEST_CASE("exactly once: a record that does not match its batch") {
    made_up_history x;
    auto& batch = x.run.batches.at(x.commit(v0, 2).stream.batches.front().id);
    auto bundle = batch.front();
    batch.push_back(bundle);
    CHECK(text(exactly_once(x.run)).find("has 2 bundles, and its record 1") != std::string::npos);
    batch.pop_back();
    batch.front().head.id = digest_of(5);
    CHECK(text(exactly_once(x.run)).find("holds other bundles") != std::string::npos);
    x.run.batches.clear();
    CHECK(text(exactly_once(x.run)).find("no honest validator has batch") != std::string::npos);
  }

  TEST_CASE("exactly once: a receipt for what the log does not hold") {
    made_up_history x;
    const receipt lie{c0, bundle_sequence{5000}, digest_of(1), commit_index{1}, {}, {}};
    auto& receipts = x.run.clients[c0].receipts[lie.sequence];
    receipts.push_back({v1, lie});
    CHECK(text(exactly_once(x.run)).find("v1 gave a receipt") != std::string::npos);
    x.run.of[1].honest = false;  // one liar alone convinces nobody
    CHECK(exactly_once(x.run).empty());
    for (std::uint16_t i = 2; i <= x.run.faulty + 1; ++i) {
      x.run.of[i].honest = false;
      receipts.push_back({validator_id{i}, lie});
    }
    CHECK(text(exactly_once(x.run)).find("f+1 validators gave a receipt") != std::string::npos);
  }

  TEST_CASE("exactly once: a receipt that names another commit") {
    made_up_history x;
    auto& told = x.run.clients[c0].receipts;
    told.begin()->second.front().what.index = commit_index{9};
    CHECK(text(exactly_once(x.run)).find("another bundle or commit") != std::string::npos);
  }

  TEST_CASE("exactly once: a bundle that was admitted and lost") {
    made_up_history x;
    x.run.clients[c0].admitted[bundle_sequence{9999}] = digest_of(1);
    const auto found = admitted_are_committed(x.run);
    REQUIRE(found.size() == 1);
    CHECK(found[0].what == "bundle 9999 of c0 was admitted and is not in the log");
  }

  TEST_CASE("lazy observers: a log that is not what the DAG says") {
    made_up_history anchor;
    for (auto& of : anchor.run.of)
      if (of.commits.contains(commit_index{3}))
        of.commits.at(commit_index{3}).stream.anchor = digest_of(3);
    CHECK(text(lazily(anchor)).find("commit 3: it commits anchor") != std::string::npos);
    made_up_history batch;
    for (auto& of : batch.run.of)
      if (of.commits.contains(commit_index{3}))
        of.commits.at(commit_index{3}).stream.batches.pop_back();
    CHECK(text(lazily(batch)).find("commit 3: it outputs") != std::string::npos);
    made_up_history order;
    for (auto& of : order.run.of)
      if (of.commits.contains(commit_index{3}))
        of.commits.at(commit_index{3}).stream.chain = digest_of(3);
    CHECK(text(lazily(order)).find("commit 3: it outputs other headers") != std::string::npos);
  }

  TEST_CASE("lazy observers: a log that is longer than the DAG allows") {
    made_up_history x;
    auto& log = x.run.of[0].commits;
    auto more = log.rbegin()->second;
    more.stream.index = more.stream.index + 1;
    log.emplace(more.stream.index, more);
    CHECK(text(lazily(x)).find("knows everything and commits") != std::string::npos);
  }

  TEST_CASE("durability: a promise that the disk does not know") {
    const dag_position p{round_number{7}, v1};
    promises made;
    made.votes[p] = digest_of(1);
    made.headers[round_number{8}] = digest_of(2);
    made.batches[digest_of(3)] = v1;
    made.receipts.insert(commit_index{4});
    kept disk;
    disk.votes = made.votes;
    disk.headers = made.headers;
    disk.batches = {digest_of(3)};
    disk.last_commit = commit_index{4};
    CHECK(durability(v0, made, disk).empty());

    auto lost = disk;
    lost.votes.clear();
    CHECK(text(durability(v0, made, lost)) ==
          "durability: v0 voted for 01000000 of v1, round 7, and its disk does not know\n");
    lost.floor = round_number{7};  // it is dead, and may be deleted
    CHECK(durability(v0, made, lost).empty());
    auto other = disk;
    other.votes[p] = digest_of(9);
    CHECK(durability(v0, made, other).size() == 1);
    auto no_header = disk;
    no_header.headers.clear();
    CHECK(durability(v0, made, no_header).size() == 1);
    auto other_header = disk;
    other_header.headers[round_number{8}] = digest_of(9);
    CHECK(durability(v0, made, other_header).size() == 1);
    auto no_batch = disk;
    no_batch.batches.clear();
    CHECK(durability(v0, made, no_batch).size() == 1);
    no_batch.dead_batches = {digest_of(3)};
    CHECK(durability(v0, made, no_batch).empty());
    auto short_log = disk;
    short_log.last_commit = commit_index{3};
    CHECK(durability(v0, made, short_log).size() == 1);
    made.contradictions.push_back("voted twice");
    CHECK(durability(v0, made, disk).size() == 1);
  }

  TEST_CASE(
      "deletion: a batch that the log output stays until a snapshot, and history, passed it") {
    deleted_batch x;
    x.id = digest_of(3);
    x.author = v0;
    x.anchor = round_number{50};
    x.committed = commit_index{7};
    x.snapshot = commit_index{7};
    x.acknowledged = x.voted = x.anchor;  // of its own
    CHECK(deletion(v0, x, 10).empty());
    CHECK(text(deletion(v1, x, 10)).find("is listed by a header of round 50 that it voted for") !=
          std::string::npos);
    x.voted = round_number{40};
    CHECK(deletion(v1, x, 10).empty());
    x.snapshot = commit_index{6};
    CHECK(text(deletion(v0, x, 10)) ==
          "deletion: v0 deleted batch 03000000 of v0, which was output by commit 7, and its newest "
          "snapshot is of 6\n");
    x.snapshot = commit_index{8};
    x.committed_since = std::chrono::milliseconds(999);
    x.history = std::chrono::seconds(1);
    CHECK(text(deletion(v0, x, 10)).find("999 ms ago, and history is kept for 1000 ms") !=
          std::string::npos);
    x.committed_since = x.history;
    CHECK(deletion(v0, x, 10).empty());
  }

  TEST_CASE(
      "deletion: an orphan stays while a header or commit brings it, and for a while when asked") {
    deleted_batch x;
    x.author = v1;
    x.anchor = round_number{50};
    CHECK(text(deletion(v0, x, 10)).find("which no commit has output") != std::string::npos);
    x.as_orphan = true;
    CHECK(deletion(v0, x, 10).empty());
    CHECK(text(deletion(v1, x, 10)).find("is its own") != std::string::npos);
    x.committed = commit_index{7};
    x.snapshot = commit_index{6};
    CHECK(
        text(deletion(v0, x, 10)).find("was output by commit 7, and its newest snapshot is of 6") !=
        std::string::npos);
    x.snapshot = commit_index{7};
    CHECK(deletion(v0, x, 10).empty());
    x.committed.reset();
    x.voted = round_number{40};
    x.acknowledged = x.voted;
    CHECK(deletion(v0, x, 10).empty());
    x.voted = round_number{41};
    CHECK(text(deletion(v0, x, 10)).find("is listed by a header of round 41 that it voted for") !=
          std::string::npos);
    x.voted = {};
    x.acknowledged = round_number{47};
    CHECK(text(deletion(v0, x, 10)).find("was acknowledged at anchor round 47, and it is 50") !=
          std::string::npos);
  }

  TEST_CASE("assignment tables: two validators with different ones after one commit") {
    made_up_history x;
    for (std::uint16_t v : {0, 1, 2}) x.run.of[v].tables[commit_index{3}] = digest_of(1);
    x.run.of[0].tables[commit_index{4}] = digest_of(2);
    CHECK(assignment_tables(x.run).empty());
    x.run.of[1].tables[commit_index{4}] = digest_of(3);
    CHECK(assignment_tables(x.run).size() == 1);
    x.run.of[1].honest = false;
    CHECK(assignment_tables(x.run).empty());
  }

  TEST_CASE("liveness: a validator that is behind, and a bundle with too few receipts") {
    made_up_history x;
    const auto then = lengths(x.run);
    CHECK_FALSE(commits_go_on(x.run, then, 0));  // some are behind the longest log
    CHECK(text(liveness(x.run, then, 0)).find("v2 has committed") != std::string::npos);
    for (auto& of : x.run.of) {
      of.commits = x.run.of[0].commits;
      of.told = of.executed = of.end();
      of.receipted = of.end() + 1;
    }
    CHECK(commits_go_on(x.run, then, 0));
    CHECK_FALSE(commits_go_on(x.run, then, 1));
    CHECK(liveness(x.run, then, 0).empty());

    auto& told = x.run.clients[c0];
    told.offered[bundle_sequence{1}] = {};
    CHECK(all_answered(x.run));
    const auto differ = told.receipts.at(bundle_sequence{1});
    auto& receipts = told.receipts.at(bundle_sequence{1});
    receipts.resize(x.run.faulty + 1);
    CHECK(all_answered(x.run));
    receipts.back().what.results_digest = digest_of(8);  // not the same as the others say
    CHECK_FALSE(all_answered(x.run));
    CHECK(text(liveness(x.run, then, 0)).find("waits for receipts of 1 bundles, the first") !=
          std::string::npos);
  }

  TEST_CASE("liveness: a validator that commits, but whose executors stand still") {
    made_up_history x;
    const log_lengths then(x.run.of.size(), x.commit(v0, 1).stream.index.value);
    for (auto& of : x.run.of) {
      of.commits = x.run.of[0].commits;
      of.told = of.executed = of.receipted = of.end();
    }
    CHECK(executes_on(x.run, then, 5));
    CHECK(liveness(x.run, then, 5).empty());

    auto& stalled = x.run.of[1];
    stalled.executed = commit_index{3};
    CHECK_FALSE(executes_on(x.run, then, 5));
    CHECK(text(liveness(x.run, then, 5)) == "liveness: v1 has executed 3 sub-DAGs, not 6\n");
    stalled.executed = stalled.end();
    stalled.told = stalled.executed + execution_lag_max;
    CHECK(executes_on(x.run, then, 5));
    stalled.told = stalled.told + 1;
    CHECK_FALSE(executes_on(x.run, then, 5));
    stalled.told = stalled.executed;
    stalled.receipted = commit_index{1};  // executed, and no client heard of it
    CHECK(text(liveness(x.run, then, 5)) ==
          "liveness: v1 gave its last receipt for commit 1, and none after 1\n");
    stalled.dead = true;
    CHECK(liveness(x.run, then, 5).empty());
    stalled.dead = false;
    stalled.honest = false;
    CHECK(executes_on(x.run, then, 5));
  }

  /// One commit after another of payments between accounts 1 and 2, executed right.
  struct paid_history {
    history run;

    paid_history() {
      run.validators = 4;
      run.faulty = 1;
      run.protocol.accounts = 10;
      run.of.resize(4);
      serial_interpreter serial(flamingo::executor::make_application(run.protocol));
      for (std::uint64_t i = 1; i <= 5; ++i) pay(i, serial);
    }

    void pay(std::uint64_t i, serial_interpreter& serial) {
      using namespace flamingo::executor::smallbank;
      std::array<byte, max_encoded_bytes> bytes;
      std::vector<byte> packed;
      operation_writer writer(packed);
      writer.application(account_id{1},
                         encode({procedure::send_payment, account_id{2}, 400'000}, bytes));
      writer.system(account_id{1});
      commit_record record;
      record.stream.index = commit_index{i};
      const bundle_head head{digest_of(50 + i), c0, bundle_sequence{i}, v0, {}, 2, false};
      record.stream.batches = {
          {digest_of(i), v0, {}, {{c0, head.sequence, head.id, verdict::fresh, 2}}}};
      run.batches[digest_of(i)] = {{head, packed}};
      const auto codes = serial.run(packed);
      for (auto& of : run.of) {
        of.commits[commit_index{i}] = record;
        of.state_roots[commit_index{i}] = serial.state_root();
      }
      run.clients[c0].receipts[head.sequence] = {
          {v0,
           {c0, head.sequence, head.id, commit_index{i}, crypto::hash(crypto::tags::results, codes),
            codes}}};
    }
  };

  TEST_CASE("serial execution: results and state roots of one interpreter pass") {
    paid_history x;
    CHECK(text(serial_execution(x.run)) == "");
    const auto& codes = x.run.clients[c0].receipts[bundle_sequence{3}].front().what.results;
    REQUIRE(codes.size() == 2);
    // A million cents pays 400,000 twice.
    CHECK(codes[0] == static_cast<byte>(result_code::insufficient));
    CHECK(codes[1] == static_cast<byte>(result_code::system));
  }

  TEST_CASE("serial execution: a result, a digest or a root that is another") {
    paid_history x;
    auto& receipt = x.run.clients[c0].receipts[bundle_sequence{3}].front().what;
    receipt.results[0] = static_cast<byte>(result_code::applied);
    CHECK(text(serial_execution(x.run)).find("not those of its digest") != std::string::npos);
    receipt.results_digest = digest_of(1);
    CHECK(text(serial_execution(x.run)).find("other results than serial") != std::string::npos);
    x.run.of[0].honest = false;
    CHECK(serial_execution(x.run).empty());
    x.run.of[1].state_roots[commit_index{5}].bytes[0] ^= 1;
    CHECK(text(serial_execution(x.run)).find("v1 has state root") != std::string::npos);
  }

  TEST_CASE("serial execution: the order of the log decides") {
    paid_history x;
    // The third payment, which the account could not afford, comes first.
    for (auto& of : x.run.of)
      std::swap(of.commits[commit_index{1}].stream.batches,
                of.commits[commit_index{3}].stream.batches);
    CHECK_FALSE(serial_execution(x.run).empty());
  }
}

}  // namespace
