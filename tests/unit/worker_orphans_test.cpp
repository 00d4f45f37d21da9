// actors/worker: batches that never come into the log, or may come again: when they are given up,
// and when not.
#include <doctest/doctest.h>

#include "tests/unit/foreign_batches.hpp"

using namespace flamingo;
using namespace flamingo::tests;

namespace {

constexpr std::uint64_t gc_depth = 10, history = 10;

protocol_parameters rules() {
  protocol_parameters x;
  x.gc_depth = gc_depth;
  return x;
}

local_parameters without_history(std::int64_t retention_seconds = 0) {
  local_parameters x;
  if (retention_seconds == 0) x.history_bytes = 0;
  x.history_retention = std::chrono::seconds{retention_seconds};
  return x;
}

/// A worker with one batch of validator 1, which came when the log was at round 0.
struct receiver : worker_harness {
  explicit receiver(local_parameters with = {}) : worker_harness(0, shortened(with), rules()) {
    const auto fx = receive_and_check(*this, 1, batch);
    durable(fx);
  }
  static local_parameters shortened(local_parameters x) {
    x.history_rounds = history;
    return x;
  }
  /// A commit at this anchor round that outputs nothing.
  worker::effects log_at(std::uint64_t anchor) {
    sequenced_sub_dag x;
    x.index = commit_index{++commits};
    x.anchor_round = round_number{anchor};
    return step(worker::sub_dag_sequenced{std::move(x)});
  }
  /// It is heard that the log has committed this anchor round.
  worker::effects noticed(std::uint64_t anchor) {
    commit_notice notice;
    notice.index = commit_index{9};
    notice.anchor_round = round_number{anchor};
    return step(worker::commit_noticed{notice});
  }
  void noted_by_primary(std::uint64_t number, std::uint64_t voted, std::vector<digest> kept = {}) {
    step(worker::withdrawal_answered{{number, round_number{voted}, std::move(kept), false}});
  }
  void noted_by_committer(std::uint64_t number, std::uint64_t newest,
                          std::vector<digest> kept = {}) {
    step(worker::withdrawal_answered{{number, round_number{newest}, std::move(kept), true}});
  }
  /// The committer has sequenced nothing that is not here.
  void noted(std::uint64_t number, std::uint64_t voted, std::vector<digest> kept = {}) {
    noted_by_committer(number, 0);
    noted_by_primary(number, voted, std::move(kept));
  }
  worker::effects asked(std::vector<digest> batches, std::optional<validator_id> author = {}) {
    return step(worker::availability_asked{{std::move(batches), author}});
  }
  /// Every executor has a snapshot past all commits: what may be deleted, is.
  std::vector<worker::batch_records::deletion> deleted() {
    step(worker::executor_met{executor_id{0}});
    return step(worker::execution_advanced{progress_of(0, commits, commits)}).deletions;
  }
  worker::effects output() {
    sequenced_sub_dag x = commit(++commits, batch.batch);
    return step(worker::sub_dag_sequenced{std::move(x)});
  }
  worker::batch_key key() const { return {validator_id{1}, batch_sequence{1}, batch.batch.id}; }

  const foreign_batch batch = seal_at(1, {1, 2});
  const digest id = batch.batch.id;
  std::uint64_t commits = 0;
};

}  // namespace

TEST_SUITE("worker orphans") {
  TEST_CASE("a batch that the log passed by is withdrawn from votes before it is given up") {
    receiver w;
    CHECK_FALSE(w.log_at(gc_depth + history).withdrawal);
    const auto withdrawn = w.log_at(gc_depth + history + 1);
    REQUIRE(withdrawn.withdrawal);
    CHECK(*withdrawn.withdrawal == batch_withdrawal{1, worker_id{0}, {w.id}});
    CHECK(withdrawn.given_up.empty());
    // Without an answer it stays, however far the log is.
    const auto later = w.log_at(1000);
    CHECK(later.given_up.empty());
    CHECK_FALSE(later.withdrawal);
  }

  TEST_CASE("a batch is given up when no header that was voted for can be output any more") {
    receiver w;
    w.log_at(21);
    w.noted(1, 30);
    CHECK(w.log_at(30 + gc_depth - 1).given_up.empty());
    CHECK(w.core.knows(w.id));
    CHECK(w.log_at(30 + gc_depth).given_up == std::vector{w.key()});
    CHECK_FALSE(w.core.knows(w.id));
    CHECK(w.log_at(1000).given_up.empty());
  }

  TEST_CASE("a batch is given up only when the committer, too, will not sequence it any more") {
    for (const bool committer_first : {false, true}) {
      receiver w;
      w.log_at(21);
      if (committer_first)
        w.noted_by_committer(1, 35);
      else
        w.noted_by_primary(1, 22);
      CHECK(w.log_at(34).given_up.empty());
      if (committer_first)
        w.noted_by_primary(1, 22);
      else
        w.noted_by_committer(1, 35);
      CHECK(w.log_at(35 + gc_depth - 1).given_up.empty());
      CHECK(w.log_at(35 + gc_depth).given_up == std::vector{w.key()});
    }
  }

  TEST_CASE(
      "a batch of a commit that was sequenced when it was withdrawn stays for the executors") {
    receiver w;
    w.log_at(21);
    w.noted_by_primary(1, 0);
    w.noted_by_committer(1, 500);
    CHECK(w.log_at(499).given_up.empty());
    auto x = w.commit(3, w.batch.batch);
    x.anchor_round = round_number{500};
    const auto fx = w.step(worker::sub_dag_sequenced{std::move(x)});
    CHECK(fx.payload.size() == 1);
    CHECK(fx.given_up.empty());
    CHECK(w.log_at(1000).given_up.empty());
    CHECK(w.core.knows(w.id));
  }

  TEST_CASE(
      "what the committer needs is withdrawn again only as long after as if it had just come") {
    receiver w;
    w.log_at(21);
    w.noted_by_primary(1, 22);
    w.noted_by_committer(1, 21, {w.id});
    CHECK_FALSE(w.log_at(21 + gc_depth + history).withdrawal);
    CHECK(w.core.knows(w.id));
    CHECK(w.log_at(21 + gc_depth + history + 1).withdrawal);
  }

  TEST_CASE("what one of the two keeps does not hold up the others of the withdrawal") {
    receiver w;
    const auto other = seal_at(1, {3}, 2);
    w.durable(receive_and_check(w, 1, other));
    REQUIRE(w.log_at(21).withdrawal->batches.size() == 2);
    w.noted_by_committer(1, 0, {w.id});
    w.noted_by_primary(1, 0, {w.id});
    CHECK(w.log_at(22).given_up.size() == 1);
    CHECK(w.core.knows(w.id));
    CHECK_FALSE(w.core.knows(other.batch.id));
  }

  TEST_CASE("an answer to a withdrawal before the committer asked again is none to the next one") {
    receiver w;
    w.log_at(21);
    w.noted_by_primary(1, 0);
    w.step(worker::batches_wanted{wanted(w.batch.batch, {})});
    REQUIRE(w.log_at(42).withdrawal);
    w.noted_by_committer(1, 0);
    w.noted_by_primary(2, 0);
    CHECK(w.log_at(100).given_up.empty());
    w.noted_by_committer(2, 0);
    CHECK(w.log_at(101).given_up.size() == 1);
  }

  TEST_CASE("the notice of a commit gives nothing up: what it output is not known yet") {
    receiver w;
    w.log_at(21);
    w.noted(1, 30);
    CHECK(w.noticed(1000).given_up.empty());
    // The sub-DAG that is still on its way has it.
    auto x = w.commit(2, w.batch.batch);
    x.anchor_round = round_number{1000};
    const auto fx = w.step(worker::sub_dag_sequenced{std::move(x)});
    CHECK(fx.given_up.empty());
    CHECK(fx.committed.size() == 1);
    CHECK(fx.payload.size() == 1);
    CHECK(w.log_at(2000).given_up.empty());
  }

  TEST_CASE("what came before a worker that starts knew how far the log is counts as come then") {
    receiver w;
    w.noticed(15);  // of before the start
    CHECK_FALSE(w.log_at(15 + gc_depth + history).withdrawal);
    w.noticed(1000);  // the log goes on; nothing is younger for that
    CHECK(w.log_at(15 + gc_depth + history + 1).withdrawal);
  }

  TEST_CASE("a batch that a header lists after all is there again, and a late answer counts not") {
    receiver w;
    w.log_at(21);
    const auto back = w.asked({w.id});
    REQUIRE(back.available.size() == 1);
    CHECK(back.available[0].id == w.id);
    w.noted(1, 22);
    CHECK(w.log_at(21 + gc_depth + history).given_up.empty());
    const auto again = w.log_at(21 + gc_depth + history + 1);
    REQUIRE(again.withdrawal);
    CHECK(again.withdrawal->number == 2);
    w.noted(2, 22);
    w.asked({w.id});
    CHECK(w.log_at(42).given_up.empty());
  }

  TEST_CASE("who is told that a batch is stored here can rely on it, however near its end was") {
    const auto told_again = [](auto&& tell) {
      for (const bool is_answered : {false, true}) {
        receiver w;
        w.log_at(21);
        if (is_answered) w.noted(1, 22);
        tell(w);
        if (!is_answered) w.noted(1, 22);  // it is about a withdrawal that holds no more
        CHECK(w.log_at(22 + gc_depth).given_up.empty());
        CHECK(w.core.knows(w.id));
        CHECK_FALSE(w.log_at(21 + gc_depth + history).withdrawal);
        CHECK(w.log_at(21 + gc_depth + history + 1).withdrawal);
      }
    };
    told_again([](receiver& w) { CHECK(receive_and_check(w, 1, w.batch).acks.size() == 1); });
    told_again([](receiver& w) {
      const auto fx = w.step(worker::batches_wanted{wanted(w.batch.batch, {validator_id{2}})});
      CHECK(fx.stored_indexes == std::vector{w.key()});
    });
    told_again([](receiver& w) { CHECK(w.asked({w.id}).available.size() == 1); });
  }

  TEST_CASE("what the primary keeps is withdrawn again only as long after as if it had just come") {
    receiver w;
    w.log_at(21);
    w.noted(1, 22, {w.id});
    CHECK_FALSE(w.log_at(21 + gc_depth + history).withdrawal);
    CHECK(w.core.knows(w.id));
    CHECK(w.log_at(21 + gc_depth + history + 1).withdrawal);
  }

  TEST_CASE(
      "a primary that restarted is told of all batches anew, and answers of before are void") {
    receiver w;
    w.log_at(21);
    const auto told = w.step(worker::started{});
    REQUIRE(told.available.size() == 1);
    CHECK(told.available[0].id == w.id);
    w.noted(1, 22);
    CHECK(w.log_at(40).given_up.empty());
    CHECK(w.core.knows(w.id));
  }

  TEST_CASE("one withdrawal has a bounded number of batches, the oldest first") {
    receiver w;
    std::vector<digest> ids{w.id};
    for (std::uint64_t i = 2; i <= worker::orphans::withdrawn_at_once + 3; ++i) {
      const auto x = seal_at(1, {1}, i);
      ids.push_back(x.batch.id);
      w.durable(receive_and_check(w, 1, x));
      if (i == worker::orphans::withdrawn_at_once) w.log_at(1);
    }
    const auto first = w.log_at(1000).withdrawal;
    REQUIRE(first);
    CHECK(first->batches.size() == worker::orphans::withdrawn_at_once);
    CHECK(std::set(first->batches.begin(), first->batches.end()) ==
          std::set(ids.begin(), ids.end() - 3));
    const auto second = w.log_at(1001).withdrawal;
    REQUIRE(second);
    CHECK(second->batches.size() == 3);
  }

  TEST_CASE("an author whose batches were given up may store as many again") {
    local_parameters local;
    local.max_uncommitted_bytes = 2100;  // of others' twice as many are stored: here two batches
    receiver w(local);
    w.durable(receive_and_check(w, 1, seal_at(1, {1}, 2)));
    const auto third = seal_at(1, {1}, 3);
    CHECK(receive_and_check(w, 1, third).rejected == std::vector{reject::too_many_pending});
    w.log_at(21);
    w.noted(1, 0);
    CHECK(w.log_at(22).given_up.size() == 2);
    const auto fx = w.durable(receive_and_check(w, 1, third));
    CHECK(fx.acks.size() == 1);
  }

  TEST_CASE("a given-up batch is stored and acknowledged again when it comes again") {
    receiver w;
    w.log_at(21);
    w.noted(1, 0);
    REQUIRE(w.log_at(22).given_up.size() == 1);
    const auto fx = w.durable(receive_and_check(w, 1, w.batch));
    CHECK(fx.acks.size() == 1);
    CHECK(fx.available.size() == 1);
  }

  TEST_CASE("own batches are never withdrawn") {
    receiver w;
    for (std::uint16_t i = 1; i < 4; ++i) w.step(worker::peer_up{validator_id{i}});
    w.admit(w.bundle(0, 1), 0);
    w.durable(w.advance(std::chrono::seconds{1}));
    const auto fx = w.log_at(1000);
    REQUIRE(fx.withdrawal);
    CHECK(fx.withdrawal->batches == std::vector{w.id});
  }

  TEST_CASE("late batches that are not here are asked of their author, others of nobody") {
    receiver w;
    std::vector<digest> lacking;
    for (std::size_t i = 0; i < max_requested_batches + 1; ++i) {
      digest x;
      x.bytes[0] = static_cast<byte>(i);
      lacking.push_back(x);
    }
    CHECK(w.asked(lacking).requests.empty());
    auto all = lacking;
    all.push_back(w.id);
    const auto fx = w.asked(all, validator_id{1});
    CHECK(fx.available.size() == 1);
    REQUIRE(fx.requests.size() == 2);
    std::vector<digest> asked;
    for (const auto& [to, request] : fx.requests) {
      CHECK(to == validator_id{1});
      CHECK(request.batches.size() <= max_requested_batches);
      asked.insert(asked.end(), request.batches.begin(), request.batches.end());
    }
    CHECK(asked == lacking);
    CHECK(w.asked(lacking, validator_id{0}).requests.empty());
    CHECK(w.asked(lacking, validator_id{4}).requests.empty());
  }

  TEST_CASE("a batch that was output stays until no header that was voted for can bring it again") {
    receiver w(without_history());
    const auto fx = w.output();
    REQUIRE(fx.withdrawal);
    CHECK(fx.withdrawal->batches == std::vector{w.id});
    CHECK(w.deleted().empty());
    // A header of round 30 that lists it has this validator's vote.
    w.noted(fx.withdrawal->number, 30);
    w.log_at(30 + gc_depth - 1);
    CHECK(w.deleted().empty());
    w.log_at(30 + gc_depth);
    const auto deletions = w.deleted();
    REQUIRE(deletions.size() == 1);
    CHECK(deletions[0].batch == w.key());
    CHECK(deletions[0].index == commit_index{1});
    CHECK_FALSE(w.core.knows(w.id));
  }

  TEST_CASE("what a later commit outputs again is noted instead of what the earlier one did") {
    receiver w(without_history());
    const auto first = w.output();
    CHECK(first.committed == std::vector{std::pair{commit_index{1}, w.key()}});
    CHECK(first.outdated.empty());
    w.log_at(3);
    const auto again = w.output();
    CHECK(again.committed == std::vector{std::pair{commit_index{3}, w.key()}});
    CHECK(again.outdated == std::vector{std::pair{commit_index{1}, w.key()}});
    w.noted(again.withdrawal->number, 0);
    w.log_at(gc_depth + 6);
    w.step(worker::executor_met{executor_id{0}});
    const auto executed_to = [&](std::uint64_t snapshot) {
      return w.step(worker::execution_advanced{progress_of(0, w.commits, snapshot)}).deletions;
    };
    CHECK(executed_to(2).empty());
    const auto deletions = executed_to(3);
    REQUIRE(deletions.size() == 1);
    CHECK(deletions[0].index == commit_index{3});
  }

  TEST_CASE("a batch that its author lists again after it was output stays as if it were new") {
    receiver w(without_history(1000));
    w.noted(w.output().withdrawal->number, 0);
    w.log_at(20);
    REQUIRE(w.asked({w.id}).available.size() == 1);
    w.now += std::chrono::seconds{2000};
    CHECK_FALSE(w.log_at(20 + gc_depth + history - 1).withdrawal);
    CHECK(w.deleted().empty());
    const auto withdrawn = w.log_at(20 + gc_depth + history + 1).withdrawal;
    REQUIRE(withdrawn);
    w.noted(withdrawn->number, 45);
    w.log_at(45 + gc_depth - 1);
    CHECK(w.deleted().empty());
    w.log_at(45 + gc_depth);
    CHECK(w.core.knows(w.id));  // it is history again
    w.now += std::chrono::seconds{1000};
    CHECK(w.deleted().size() == 1);
  }

  TEST_CASE("what an author lists again has room only within its bound") {
    local_parameters local = without_history(1000);
    local.max_uncommitted_bytes = 2100;  // of others' twice as many are stored: here two batches
    receiver w(local);
    w.noted(w.output().withdrawal->number, 0);
    for (const std::uint64_t number : {2, 3})
      w.durable(receive_and_check(w, 1, seal_at(1, {1}, number)));
    w.log_at(20);
    CHECK(w.asked({w.id}).available.empty());
    // Whoever needs it for the log gets it.
    CHECK(w.step(worker::batches_wanted{wanted(w.batch.batch, {})}).stored_indexes.size() == 1);
    CHECK(receive_and_check(w, 1, seal_at(1, {1}, 4)).rejected ==
          std::vector{reject::too_many_pending});
  }

  TEST_CASE("after a restart what was output is held until the primary was asked anew") {
    receiver w(without_history());
    worker_harness again(0, w.local, rules());
    const batch_available stored{w.id, validator_id{1}, worker_id{0}, 6, {}, {}, {}, 500};
    again.core.restore(stored, batch_sequence{1}, {}, commit_index{1}, again.now);
    again.step(worker::started{});
    again.step(worker::executor_met{executor_id{0}});
    CHECK(again.step(worker::execution_advanced{progress_of(0, 1, 1)}).deletions.empty());
    sequenced_sub_dag next;
    next.index = commit_index{2};
    next.anchor_round = round_number{3};
    const auto fx = again.step(worker::sub_dag_sequenced{next});
    REQUIRE(fx.withdrawal);
    CHECK(fx.withdrawal->batches == std::vector{w.id});
    for (const bool by_committer : {false, true})
      again.step(
          worker::withdrawal_answered{{fx.withdrawal->number, round_number{4}, {}, by_committer}});
    next.index = commit_index{3};
    next.anchor_round = round_number{4 + gc_depth};
    again.step(worker::sub_dag_sequenced{next});
    CHECK(again.step(worker::execution_advanced{progress_of(0, 2, 2)}).deletions.size() == 1);
  }
}
