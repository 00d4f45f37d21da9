// actors/worker: the clients' door. Every bundle gets an answer, and what clients have here is
// bounded.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "tests/unit/worker_harness.hpp"

using namespace flamingo;
using namespace flamingo::tests;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

template <class Answer>
bool is(const admission_answer& x) {
  return std::holds_alternative<Answer>(x.what);
}

std::string limit_of(const worker::effects& x) {
  const auto* busy = only_answer<admission::busy>(x);
  return busy ? busy->limit : "(not busy)";
}

}  // namespace

TEST_SUITE("worker admission") {
  TEST_CASE("a bundle of the assignee's client is admitted") {
    worker_harness w;
    const auto fx = w.admit(w.bundle(0, 7), 0);
    REQUIRE(answers(fx).size() == 1);
    CHECK(answers(fx)[0] == admission_answer{bundle_sequence{7}, admission::admitted{}});
    CHECK(fx.rejected.empty());
  }

  TEST_CASE("a link starts with the client's lowest free sequence and the newest anchor round") {
    worker_harness w;
    auto fx = w.step(worker::client_up{client_id{0}});
    CHECK(std::get<welcome>(fx.to_clients.at(0).second) ==
          welcome{validator_id{0}, bundle_sequence{1}, round_number{0}});
    w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    w.step(worker::sub_dag_sequenced{w.commit(4, sealed.store.at(0))});
    fx = w.step(worker::client_up{client_id{0}});
    CHECK(std::get<welcome>(fx.to_clients.at(0).second) ==
          welcome{validator_id{0}, bundle_sequence{2}, round_number{7}});
  }

  TEST_CASE("a wrong signature, a foreign account and another client's bundle are invalid") {
    worker_harness w;
    auto parts = w.bundle(0, 1).parts();
    parts.sig.bytes[5] ^= 1;
    w.step(worker::bundle_arrived{client_id{0}, {parts, bundle_sequence{1}}});
    auto fx = w.work();
    REQUIRE(only_answer<admission::invalid>(fx));
    CHECK(only_answer<admission::invalid>(fx)->reason == to_string(bundle_fault::bad_signature));
    CHECK(fx.rejected == std::vector{reject::bad_signature});
    CHECK(w.core.ingress_bytes() == 0);

    fx = w.admit(make_bundle(*w.members, client_id{1}, 1, validator_id{0}), 0);
    CHECK(only_answer<admission::invalid>(fx));
    CHECK(w.core.ingress_bytes() == 0);

    fx = w.step(worker::garbage_arrived{client_id{0}});
    CHECK(only_answer<admission::invalid>(fx));
    CHECK(fx.rejected == std::vector{reject::malformed});
    CHECK(answers(fx).at(0).sequence == bundle_sequence{});
  }

  TEST_CASE("who sends bad signatures has few of them checked, and others wait for none of them") {
    worker_harness w;
    const auto bad = [&](std::uint64_t sequence) {
      auto parts = w.bundle(0, sequence).parts();
      parts.sig.bytes[5] ^= 1;
      return w.step(worker::bundle_arrived{client_id{0}, {parts, bundle_sequence{sequence}}});
    };
    std::uint64_t busy = 0;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      busy += only_answer<admission::busy>(bad(i)) != nullptr;
      w.work();
      w.advance(milliseconds{1});
    }
    CHECK(w.scheme->count <= 202);  // 100 a second, and as many at once
    CHECK(busy == 1000 - w.scheme->count);
    const admission::busy* told = nullptr;
    for (std::uint64_t i = 1; !told && i <= 2; ++i) {
      told = only_answer<admission::busy>(bad(2000 + i));
      w.work();
    }
    REQUIRE(told);
    CHECK(told->limit == "bundles that were checked in vain");
    CHECK(told->retry_after <= milliseconds{11});
    // Its good ones have to wait as long; nobody else's have.
    const auto retry = told->retry_after;
    CHECK(only_answer<admission::redirect>(w.admit(w.bundle(1, 1), 1)));
    w.advance(retry);
    CHECK(only_answer<admission::admitted>(w.admit(w.bundle(0, 1), 0)));
  }

  TEST_CASE("a client's small bundles cost it their checks: another one's turn comes soon") {
    worker_harness w;
    for (std::uint64_t i = 1; i <= 500; ++i) w.offer(w.bundle(0, i, 1), 0);
    w.offer(w.bundle(1, 1), 1);
    std::uint64_t before = 0;
    while (auto next = w.core.next_check()) {
      if (std::get<worker::bundle_check>(*next).from == client_id{1}) break;
      ++before;
    }
    CHECK(before <= 8);
  }

  TEST_CASE("a bundle sent again is admitted again and counted once") {
    worker_harness w;
    const auto bundle = w.bundle(0, 1);
    w.admit(bundle, 0);
    const auto fx = w.admit(bundle, 0);
    CHECK(only_answer<admission::admitted>(fx));
    const auto sealed = w.advance(seconds{1});
    REQUIRE(sealed.store.size() == 1);
    CHECK(sealed.store[0].bundles.size() == 1);
    CHECK(w.scheme->count == 1);
  }

  TEST_CASE("a bundle that still waits is answered once, when its turn comes") {
    worker_harness w;
    const auto bundle = w.bundle(0, 1);
    CHECK(answers(w.offer(bundle, 0)).empty());
    CHECK(answers(w.offer(bundle, 0)).empty());
    CHECK(only_answer<admission::admitted>(w.work()));
  }

  TEST_CASE("another bundle under a sequence that is here is a duplicate") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    CHECK(only_answer<admission::duplicate>(w.admit(w.bundle(0, 1, 5), 0)));
  }

  TEST_CASE("a consumed sequence is a duplicate and its receipt is sent along") {
    worker_harness w;
    const auto bundle = w.bundle(0, 1);
    w.admit(bundle, 0);
    const auto sealed = w.advance(seconds{1});
    w.step(worker::sub_dag_sequenced{w.commit(1, sealed.store.at(0))});
    executed_bundles executed;
    executed.index = commit_index{1};
    executed.bundles.push_back(
        {client_id{0}, bundle_sequence{1}, bundle.id, validator_id{0}, 0, 3});
    executed.results = {0, 0, 1};
    auto fx = w.step(worker::bundles_executed{executed});
    REQUIRE(fx.receipts.size() == 1);
    CHECK(fx.receipts[0].list[0].results == std::vector<byte>{0, 0, 1});
    fx = w.admit(bundle, 0);
    CHECK(only_answer<admission::duplicate>(fx));
    REQUIRE(fx.receipts.size() == 1);
    CHECK(fx.receipts[0].list[0].bundle == bundle.id);
    CHECK(w.step(worker::query_arrived{client_id{0}, bundle_sequence{1}}).receipts.size() == 1);
    CHECK(w.step(worker::query_arrived{client_id{0}, bundle_sequence{2}}).receipts.empty());
  }

  TEST_CASE("a bundle that expires before the newest anchor is invalid") {
    worker_harness w;
    sequenced_sub_dag late;
    late.index = commit_index{1};
    late.anchor_round = round_number{1001};
    w.step(worker::sub_dag_sequenced{late});
    const auto fx = w.admit(w.bundle(0, 1), 0);
    CHECK(only_answer<admission::invalid>(fx));
    // Its client, who may have had no receipts for long, hears how far the anchors are.
    REQUIRE_FALSE(fx.to_clients.empty());
    const auto* told = std::get_if<welcome>(&fx.to_clients[0].second);
    REQUIRE(told);
    CHECK(told->anchor_round == round_number{1001});
  }

  TEST_CASE("one client's flood is answered busy while another is served") {
    local_parameters local;
    local.client_window_bytes = 10'000;
    local.ingress_bytes = 40'000;
    worker_harness w(0, local);
    int busy = 0;
    for (std::uint64_t i = 1; i <= 100; ++i) {
      const auto fx = w.offer(w.bundle(0, i, 10, 100), 0);
      busy += answers(fx).empty() ? 0 : 1;
      if (!answers(fx).empty()) CHECK(limit_of(fx) == "client_window_bytes");
    }
    CHECK(busy > 80);
    CHECK(w.core.ingress_bytes() <= local.client_window_bytes);
    CHECK(answers(w.offer(w.bundle(1, 1, 10, 100), 1)).empty());
    // The other client's bundle is not behind all of the flood.
    int before = 0;
    for (;; ++before) {
      auto next = w.core.next_check();
      REQUIRE(next);
      if (std::get<worker::bundle_check>(*next).from == client_id{1}) break;
    }
    CHECK(before <= 20);
  }

  TEST_CASE("all clients together are bounded and the answer names the limit") {
    local_parameters local;
    local.client_window_bytes = 10'000;
    local.ingress_bytes = 15'000;
    worker_harness w(0, local);
    std::string last;
    for (std::uint32_t client = 0; client < 4; ++client)
      for (std::uint64_t i = 1; i <= 20; ++i)
        if (const auto fx = w.offer(w.bundle(client, i, 10, 100), client); !answers(fx).empty())
          last = limit_of(fx);
    CHECK(last == "ingress_bytes");
    CHECK(w.core.ingress_bytes() <= local.ingress_bytes);
  }

  TEST_CASE("clients that want all of the ingress leave room for one that wants little") {
    local_parameters local;
    local.client_window_bytes = 1 << 20;
    local.ingress_bytes = 40'000;
    worker_harness w(0, local);
    std::map<std::uint32_t, std::uint64_t> held;
    for (std::uint64_t i = 1; i <= 60; ++i)
      for (std::uint32_t client = 0; client < 3; ++client)
        if (const auto fx = w.offer(w.bundle(client, i, 10, 100), client); answers(fx).empty())
          ++held[client];
        else
          CHECK(limit_of(fx) == "ingress_bytes");
    // The same for each, and about as much is left.
    CHECK(held[0] - held[2] <= 1);
    CHECK(held[0] > 5);
    CHECK(w.core.ingress_bytes() > local.ingress_bytes * 2 / 3);
    CHECK(answers(w.offer(w.bundle(3, 1, 10, 100), 3)).empty());
  }

  TEST_CASE("ingress is released when a quorum has the batch, and not before") {
    worker_harness w;
    const auto admitted = w.admit(w.bundle(0, 1), 0);
    const auto sealed = w.advance(seconds{1});
    const auto held = w.core.ingress_bytes();
    CHECK(held > 0);
    w.durable(sealed);
    const batch_stored stored{sealed.store[0].id, batch_sequence{1}};
    w.step(worker::stored_arrived{validator_id{1}, stored});
    CHECK(w.core.ingress_bytes() == held);
    const auto fx = w.step(worker::stored_arrived{validator_id{2}, stored});
    CHECK(fx.available.size() == 1);
    CHECK(w.core.ingress_bytes() == 0);
  }

  TEST_CASE("a sequence beyond the window is busy until the window moves") {
    protocol_parameters rules;
    rules.bundle_window = 64;
    worker_harness w(0, {}, rules);
    CHECK(limit_of(w.admit(w.bundle(0, 65), 0)) == "bundle_window");
    CHECK(only_answer<admission::admitted>(w.admit(w.bundle(0, 64), 0)));
  }

  TEST_CASE("executors that are far behind stop new load, and the answer says so") {
    local_parameters local;
    local.max_lag = 10;
    worker_harness w(0, local);
    w.step(worker::executor_met{executor_id{0}});
    w.step(worker::commit_noticed{{commit_index{11}, {}, {}, {}, {}}});
    CHECK(limit_of(w.admit(w.bundle(0, 1), 0)) == "max_lag");
    execution_progress progress;
    progress.index = commit_index{1};
    w.step(worker::execution_advanced{progress});
    CHECK(only_answer<admission::admitted>(w.admit(w.bundle(0, 1), 0)));
  }

  TEST_CASE("while a commit waits long for the executors, bundles wait at the door") {
    local_parameters local;
    local.max_execution_delay = milliseconds{300};
    worker_harness w(0, local);
    w.step(worker::executor_met{executor_id{0}});
    execution_progress progress;
    const auto executed = [&](std::uint64_t index) {
      progress.index = commit_index{index};
      w.step(worker::execution_advanced{progress});
    };
    const auto output = [&](std::uint64_t index) {
      sequenced_sub_dag x;
      x.index = commit_index{index};
      w.step(worker::sub_dag_sequenced{std::move(x)});
    };
    executed(0);
    output(1);
    w.advance(milliseconds{200});
    output(2);
    w.advance(milliseconds{100});
    CHECK(only_answer<admission::admitted>(w.admit(w.bundle(0, 1), 0)));
    w.advance(milliseconds{1});
    CHECK(answers(w.admit(w.bundle(0, 2), 0)).empty());
    CHECK_FALSE(w.core.next_check());
    executed(1);
    CHECK(w.core.next_check());  // the one that waits; the next commit is younger
    w.advance(milliseconds{200});
    CHECK(answers(w.admit(w.bundle(0, 3), 0)).empty());
    executed(2);
    CHECK(w.core.next_check());
  }

  TEST_CASE("who finds no room at a door that executors keep shut hears why") {
    local_parameters local;
    local.max_execution_delay = milliseconds{300};
    local.ingress_bytes = 2000;
    worker_harness w(0, local);
    w.step(worker::executor_met{executor_id{0}});
    sequenced_sub_dag x;
    x.index = commit_index{1};
    w.step(worker::sub_dag_sequenced{std::move(x)});
    w.advance(milliseconds{301});
    std::string last;
    for (std::uint64_t i = 1; i <= 60 && last.empty(); ++i) {
      const auto fx = w.admit(w.bundle(0, i), 0);
      if (only_answer<admission::busy>(fx)) last = limit_of(fx);
    }
    CHECK(last == "max_execution_delay_ms");
  }

  TEST_CASE("who is not served for long hears it, and waits no longer than that at the door") {
    local_parameters local;
    local.max_admission_delay = milliseconds{300};
    worker_harness w(0, local);
    w.offer(w.bundle(0, 1), 0);
    w.advance(milliseconds{300});
    CHECK(answers(w.offer(w.bundle(0, 2), 0)).empty());
    w.advance(milliseconds{1});
    CHECK(limit_of(w.offer(w.bundle(0, 3), 0)) == "max_admission_delay_ms");
    CHECK(answers(w.offer(w.bundle(1, 1), 1)).empty());  // others' bundles do not count
    REQUIRE(w.core.next_check());
    CHECK(answers(w.offer(w.bundle(0, 3), 0)).empty());  // the one in front is younger
  }

  TEST_CASE("what no commit outputs is bounded, so that nothing fills the store") {
    local_parameters local;
    local.max_uncommitted_bytes = 3000;
    local.ingress_bytes = 20'000;
    worker_harness w(0, local);
    std::string last;
    std::vector<checked_batch> sealed;
    for (std::uint64_t i = 1; i <= 60; ++i) {
      const auto fx = w.admit(w.bundle(0, i), 0);
      if (only_answer<admission::busy>(fx)) last = limit_of(fx);
      for (auto& batch : w.advance(seconds{1}).store) sealed.push_back(std::move(batch));
    }
    CHECK(last == "max_uncommitted_bytes");
    CHECK(w.core.uncommitted_bytes() < 3000 + 1000 + worker::batch_records::overhead);
    // Bundles wait at the door; when something commits they are taken.
    CHECK(answers(w.admit(w.bundle(1, 1), 1)).empty());
    CHECK_FALSE(w.core.next_check());
    w.step(worker::sub_dag_sequenced{w.commit(1, sealed.at(0))});
    std::set<client_id> taken;
    while (const auto next = w.core.next_check())
      taken.insert(std::get<worker::bundle_check>(*next).from);
    CHECK(taken == std::set{client_id{0}, client_id{1}});
  }

  TEST_CASE("where commits take long more may be without one, so that a long way is filled") {
    local_parameters local;
    local.min_uncommitted_bytes = 3000;
    local.max_uncommitted_bytes = 30'000;
    local.ingress_bytes = 20'000;
    worker_harness w(0, local);
    std::string last;
    std::vector<checked_batch> sealed;
    for (std::uint64_t i = 1; i <= 60; ++i) {
      const auto fx = w.admit(w.bundle(0, i), 0);
      if (only_answer<admission::busy>(fx)) last = limit_of(fx);
      for (auto& batch : w.advance(seconds{1}).store) sealed.push_back(std::move(batch));
    }
    CHECK(last == "min_uncommitted_bytes");
    CHECK(w.core.uncommitted_bytes() < 3000 + 1000 + worker::batch_records::overhead);
    w.step(worker::sub_dag_sequenced{w.commit(1, sealed.at(0))});  // a minute after its seal
    for (std::uint64_t i = 61; i <= 80; ++i) {
      w.admit(w.bundle(0, i), 0);
      w.advance(milliseconds{100});
    }
    CHECK(w.core.uncommitted_bytes() > 6000);
  }

  TEST_CASE("a store that cannot keep up stops new load") {
    worker_harness w;
    const auto parts = w.bundle(0, 1).parts();
    const auto fx = w.step(worker::bundle_arrived{client_id{0}, {parts, bundle_sequence{1}}, true});
    CHECK(only_answer<admission::busy>(fx));
  }

  TEST_CASE("a relayed bundle is admitted within a share of the ingress") {
    local_parameters local;
    local.client_window_bytes = 100'000;
    local.relay_per_mille = 100;  // 10 kB a second
    worker_harness w(0, local);
    int admitted = 0, limited = 0;
    for (std::uint64_t i = 1; i <= 40; ++i) {
      // Client 1 is assigned to validator 1 and names it.
      const auto fx =
          w.admit(make_bundle(*w.members, client_id{1}, i, validator_id{1}, 10, 100), 1);
      admitted += only_answer<admission::admitted>(fx) ? 1 : 0;
      if (const auto* x = only_answer<admission::relay_limited>(fx)) {
        ++limited;
        CHECK(x->limit == "relay_per_mille");
        CHECK(x->retry_after > milliseconds{0});
        CHECK(x->retry_after <= milliseconds{1000});
      }
    }
    CHECK(admitted >= 6);
    CHECK(admitted <= 9);
    CHECK(admitted + limited == 40);
    w.now += seconds{1};
    CHECK(only_answer<admission::admitted>(
        w.admit(make_bundle(*w.members, client_id{1}, 41, validator_id{1}, 10, 100), 1)));
  }

  TEST_CASE("a bundle whose accounts moved is redirected, and what was not sealed is handed back") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    w.admit(w.bundle(0, 2, 1), 0);  // acts on account 0 only
    const assignment_update update{table_version{1}, {{account_id{7}, validator_id{2}}}};
    auto fx = w.step(worker::table_changed{update});
    REQUIRE(fx.to_clients.size() == 2);
    CHECK(fx.to_clients[0].first == client_id{0});
    CHECK(std::get<assignment_update>(fx.to_clients[0].second) == update);
    REQUIRE(answers(fx).size() == 1);
    CHECK(answers(fx)[0] ==
          admission_answer{bundle_sequence{1}, admission::redirect{validator_id{2}}});
    fx = w.admit(w.bundle(0, 3), 0);
    REQUIRE(only_answer<admission::redirect>(fx));
    CHECK(only_answer<admission::redirect>(fx)->assignee == validator_id{2});
    const auto sealed = w.advance(seconds{1});
    REQUIRE(sealed.store.at(0).bundles.size() == 1);
    CHECK(sealed.store[0].bundles[0].sequence == bundle_sequence{2});
  }

  TEST_CASE("an unknown client is refused before any costly work") {
    worker_harness w;
    const auto fx = w.offer(w.bundle(0, 1), 9);
    CHECK(fx.rejected == std::vector{reject::unknown_client});
    CHECK_FALSE(w.core.has_checks());
  }

  TEST_CASE("expired and empty bundles are answered once, with the others of their commit") {
    worker_harness w;
    w.admit(w.bundle(0, 1), 0);
    w.admit(w.bundle(0, 2, 0), 0);
    w.admit(w.bundle(0, 3), 0);
    const auto sealed = w.advance(seconds{1});
    const auto& heads = sealed.store.at(0).bundles;
    auto sub_dag = w.commit(1, sealed.store[0]);
    sub_dag.batches[0].bundles[0].what = verdict::expired;
    CHECK(w.step(worker::sub_dag_sequenced{sub_dag}).receipts.empty());
    // One executor answers for what none runs, another ran the third bundle.
    const auto outcome = [&](std::size_t i, std::uint32_t first, std::uint32_t codes) {
      return executed_bundles::bundle{
          client_id{0}, heads[i].sequence, heads[i].id, validator_id{0}, first, codes};
    };
    executed_bundles unexecuted{commit_index{1}, round_number{1}, {}, {}};
    unexecuted.bundles = {outcome(0, 0, 3), outcome(1, 3, 0)};
    unexecuted.results.assign(3, static_cast<byte>(result_code::expired));
    CHECK(w.step(worker::bundles_executed{unexecuted}).receipts.empty());
    executed_bundles executed{commit_index{1}, round_number{1}, {outcome(2, 0, 3)}, {0, 0, 0}};
    const auto fx = w.step(worker::bundles_executed{executed});
    REQUIRE(fx.receipts.size() == 1);
    REQUIRE(fx.receipts[0].list.size() == 3);
    CHECK(fx.receipts[0].list[0].results == unexecuted.results);
    CHECK(fx.receipts[0].list[1].results.empty());
  }
}
