// Worker shells of four validators and clients' shells on the test coordinator, with links that can
// be cut, a disk each, and in the place of consensus and execution a log that commits what is
// available and answers that everything was applied.
#pragma once

#include <map>
#include <set>

#include "actors/client/client_actor.hpp"
#include "actors/committer/client_windows.hpp"
#include "actors/validator/introduction.hpp"
#include "actors/worker/worker_actor.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_validator.hpp"
#include "messages/stream_operations.hpp"
#include "tests/actors/shell_bench.hpp"
#include "tests/unit/bundle_samples.hpp"

namespace flamingo::tests {

using flamingo::testing::shell_bench;

/// What the neighbours of one validator's worker were sent, in order.
struct neighbour_notes {
  std::vector<batch_available> available;
  std::vector<batch_withdrawal> withdrawals, withdrawn_indexes;  // the primary's, the committer's
  std::vector<batch_index> indexes;
  std::vector<wire<schema::Payload>> payload;
};

class worker_world : public shell_bench {
public:
  worker_world() {
    members = std::make_shared<const committee>(sample_committee());
    for (unsigned i = 0; i < n; ++i) disks.push_back(std::make_shared<storage::memory_kv>());
    lives.resize(n);
  }
  ~worker_world() {
    for (auto& disk : disks) disk->crash();  // as ~shell_bench
  }

  static validator_id v(unsigned i) { return validator_id{static_cast<std::uint16_t>(i)}; }

  // -- validators

  void boot(unsigned i) {
    auto env = std::make_shared<runtime::environment>(*environment(i));
    env->store = disks[i];
    life& x = lives[i];
    x.notes = std::make_shared<neighbour_notes>();
    x.metrics = env->metrics;
    x.worker = spawn(worker::shell, runtime::environment_ptr(env), worker_id{0});
    caf::anon_send(x.worker, atom::meet_v, primary_of(x.notes));
    caf::anon_send(x.worker, atom::meet_v, committer_of(x.notes));
    caf::anon_send(x.worker, atom::meet_v, executor_id{0}, executor_of(x.notes));
    caf::anon_send(x.worker, atom::start_v);
    run();
  }
  /// The process of the primary and the committer restarted: their places are taken by others.
  void restart_primary_and_committer(unsigned i) {
    life& x = lives[i];
    x.notes = std::make_shared<neighbour_notes>();
    const auto as = [](auto role, const auto& sink) {
      return caf::actor_cast<decltype(role)>(caf::actor_cast<caf::strong_actor_ptr>(sink));
    };
    role_handles here, all;
    here.workers = {x.worker};
    all.primary = as(primary_actor{}, primary_of(x.notes));
    all.committer = as(committer_actor{}, committer_of(x.notes));
    validator::introduce(here, all);
    run();
  }
  void boot_all() {
    for (unsigned i = 0; i < n; ++i) boot(i);
    for (unsigned i = 0; i < n; ++i)
      for (unsigned k = 0; k < i; ++k) connect(i, k);
  }
  /// Power off: what was not synced is gone.
  void crash_validator(unsigned i) {
    caf::anon_send_exit(lives[i].worker, caf::exit_reason::kill);
    run();
    lives[i].worker = worker_actor{};
    disks[i]->crash();
  }
  void connect(unsigned a, unsigned b) {
    caf::anon_send(lives[a].worker, atom::link_up_v, v(b), peer_link_to(a, b));
    caf::anon_send(lives[b].worker, atom::link_up_v, v(a), peer_link_to(b, a));
    run();
  }

  // -- clients

  client_actor boot_client(unsigned c, client::settings with) {
    auto env = std::make_shared<client::environment>();
    env->self = client_id{c};
    env->members = members;
    env->protocol = protocol;
    env->protocol.accounts = 4000;
    env->with = with;
    env->signer = std::make_shared<crypto::fake_signer>("c" + std::to_string(c));
    env->scheme = std::make_shared<crypto::fake_scheme>();
    env->now = [this] { return now(); };
    env->finished = [this, c](const client::ending& x) { endings.emplace(c, x); };
    client_actor role = spawn(client::shell, client::environment_ptr(env));
    clients[c] = role;
    caf::anon_send(role, atom::start_v);
    for (unsigned i = 0; i < n; ++i) connect_client(c, i);
    return role;
  }
  void connect_client(unsigned c, unsigned i) {
    if (!lives[i].worker) return;
    caf::anon_send(clients[c], atom::link_up_v, v(i), link_to_worker(c, i));
    caf::anon_send(lives[i].worker, atom::link_up_v, client_id{c}, link_to_client(c, i));
    run();
  }
  client::summary summary_of(unsigned c) {
    client::summary out;
    caf::scoped_actor self{system};
    self->send(clients[c], atom::status_v);
    run();
    self->receive([&](const summary_frame& x) { out = *client::decode(x); });
    return out;
  }

  // -- time

  /// Lets time pass in milliseconds, with every disk synced and every available batch committed
  /// after each.
  void live(std::chrono::milliseconds time) {
    for (auto t = time.count(); t > 0; --t) {
      run();
      for (auto& disk : disks) disk->sync();
      run();
      commit_available();
      execute();
      sched.advance_time(std::chrono::milliseconds{1});
      run();
    }
  }

  // -- the log

  /// One sub-DAG with the own batches that became available at their authors.
  void commit_available() {
    sequenced_sub_dag sub_dag;
    for (unsigned i = 0; i < n; ++i) {
      auto& list = lives[i].notes->available;
      for (; lives[i].seen < list.size(); ++lives[i].seen) {
        const batch_available& x = list[lives[i].seen];
        if (x.author == v(i) && committed.insert(x.id).second)
          sub_dag.batches.push_back(sequence(x));
      }
    }
    if (!sub_dag.batches.empty()) commit(std::move(sub_dag));
  }

  std::vector<std::shared_ptr<storage::memory_kv>> disks;
  struct life {
    worker_actor worker;
    std::shared_ptr<neighbour_notes> notes = std::make_shared<neighbour_notes>();
    std::shared_ptr<runtime::metrics> metrics;
    std::size_t seen = 0, executed = 0;  // of its notes
  };
  std::vector<life> lives;
  std::map<unsigned, client_actor> clients;
  std::map<unsigned, client::ending> endings;
  std::set<std::pair<unsigned, unsigned>> cut;  // links between validators, (from, to)
  std::set<unsigned> isolated;                  // validators whose links all lose everything
  std::set<digest> committed;
  std::vector<sequenced_sub_dag> log;
  /// How often the transactions of each bundle were handed to an executor, at validator 0.
  std::map<digest, int> applied;
  std::map<digest, std::vector<bundle_head>> heads;

private:
  sequenced_batch sequence(const batch_available& x) {
    sequenced_batch out{x.id, x.author, x.worker, {}};
    for (const auto& one : lives)
      for (const auto& index : one.notes->indexes)
        if (index.id == x.id) heads[x.id] = index.bundles;
    for (const bundle_head& head : heads.at(x.id))
      out.bundles.push_back({head.client, head.sequence, head.id,
                             windows.take(head, round_number{log.size()}), head.transactions});
    return out;
  }
  void commit(sequenced_sub_dag sub_dag) {
    sub_dag.index = commit_index{log.size() + 1};
    sub_dag.anchor_round = round_number{log.size() + 1};
    const sequenced_frame frame = encode(sub_dag);
    log.push_back(std::move(sub_dag));
    for (auto& x : lives)
      if (x.worker) caf::anon_send(x.worker, frame);
    run();
  }
  /// Everything that the payload of validator i holds is applied.
  void execute() {
    for (unsigned i = 0; i < n; ++i) {
      auto& x = lives[i];
      for (; x.executed < x.notes->payload.size(); ++x.executed) {
        const auto payload = decode(x.notes->payload[x.executed]);
        executed_bundles out;
        const sequenced_sub_dag& sub_dag = log.at(payload->index.value - 1);
        out.index = sub_dag.index;
        out.anchor_round = sub_dag.anchor_round;
        for (const auto& batch : sub_dag.batches)
          if (batch.id == payload->batch) execute(i, batch, *payload, out);
        caf::anon_send(x.worker, encode(out));
      }
      // What has nothing to run is executed, too.
      execution_progress progress;
      progress.index = commit_index{log.size()};
      if (x.worker) caf::anon_send(x.worker, encode(progress));
    }
    run();
  }
  void execute(unsigned i, const sequenced_batch& batch, const payload_view& payload,
               executed_bundles& out) {
    for (std::size_t k = 0; k < batch.bundles.size(); ++k) {
      const auto& bundle = batch.bundles[k];
      if (bundle.what != verdict::fresh || bundle.transactions == 0) continue;
      if (i == 0) ++applied[bundle.id];
      operation_reader reader(payload.bundles[k]);
      std::uint32_t count = 0;
      while (reader.next()) ++count;
      out.bundles.push_back({bundle.client, bundle.sequence, bundle.id, batch.author,
                             static_cast<std::uint32_t>(out.results.size()), count});
      out.results.resize(out.results.size() + count, static_cast<byte>(result_code::applied));
    }
  }

  using notes_ptr = std::shared_ptr<neighbour_notes>;
  availability_sink primary_of(notes_ptr into) {
    return spawn([into](availability_sink::pointer) -> availability_sink::behavior_type {
      return {[into](const available_frame& x) { into->available.push_back(*decode(x)); },
              [into](const withdrawal_frame& x) { into->withdrawals.push_back(*decode(x)); }};
    });
  }
  index_sink committer_of(notes_ptr into) {
    return spawn([into](index_sink::pointer) -> index_sink::behavior_type {
      return {[into](const index_frame& x) { into->indexes.push_back(*decode(x)); },
              [into](const withdrawal_frame& x) { into->withdrawn_indexes.push_back(*decode(x)); }};
    });
  }
  stream_sink executor_of(notes_ptr into) {
    return spawn([into](stream_sink::pointer) -> stream_sink::behavior_type {
      return {[](const sequenced_frame&) {},
              [into](const payload_frame& x) { into->payload.push_back(x); },
              [](const pushed_frame&) {},
              [](const requested_frame&) {},
              [](const results_frame&) {},
              [](const leaves_frame&) {}};
    });
  }

  bool passes(unsigned from, unsigned to) const {
    return !cut.contains({from, to}) && !isolated.contains(from) && !isolated.contains(to);
  }
  worker_link peer_link_to(unsigned from, unsigned to) {
    const auto carry = [this, from, to](worker_link::pointer) -> worker_link::behavior_type {
      return {[=, this](atom::transmit, link_priority, const worker_frame& x) {
                if (passes(from, to) && lives[to].worker)
                  caf::anon_send(lives[to].worker, v(from), x);
              },
              [](atom::close) {}};
    };
    return spawn(carry);
  }
  client_link link_to_worker(unsigned c, unsigned to) {
    const auto carry = [this, c, to](client_link::pointer) -> client_link::behavior_type {
      return {[=, this](atom::transmit, link_priority, const client_frame& x) {
                if (!isolated.contains(to) && lives[to].worker)
                  caf::anon_send(lives[to].worker, client_id{c}, x);
              },
              [](atom::close) {}};
    };
    return spawn(carry);
  }
  client_link link_to_client(unsigned c, unsigned from) {
    const auto carry = [this, c, from](client_link::pointer) -> client_link::behavior_type {
      return {[=, this](atom::transmit, link_priority, const client_frame& x) {
                if (!isolated.contains(from)) caf::anon_send(clients[c], v(from), x);
              },
              [](atom::close) {}};
    };
    return spawn(carry);
  }

  committer::client_windows windows{65536};
};

}  // namespace flamingo::tests
