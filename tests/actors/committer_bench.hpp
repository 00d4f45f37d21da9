// A committer's shell on CAF's test coordinator: virtual time, a disk that syncs when the test says
// so, and neighbours that take notes.
#pragma once

#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include "actors/committer/committer_actor.hpp"
#include "actors/runtime/metrics.hpp"
#include "crypto/fake_coin.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "storage/memory_kv.hpp"

namespace flamingo::committer::test {

/// What the neighbours of one life of the committer were sent, each in order.
struct heard {
  std::vector<sequenced_sub_dag> by_worker, by_executor;
  std::vector<wanted_batch> wanted;
  std::size_t notices_to_worker = 0;
  std::vector<commit_notice> notices;
  std::vector<commit_signals> signals;
  std::vector<commit_control> controls;
};

class bench {
public:
  static constexpr std::uint16_t n = 4;

  bench() {
    auto four = std::make_shared<committee>();
    four->validators.resize(n);
    four->chain.bytes[0] = 7;
    for (std::uint16_t i = 0; i < n; ++i) four->validators[i].name = "v" + std::to_string(i);
    members = four;
    for (std::uint16_t i = 0; i < n; ++i)
      newest_.push_back(genesis_header(members->chain, validator_id{i}));
    protocol.gc_depth = 10;
    protocol.checkpoint_anchors = 4;
    local.executors = 1;
    local.stream_window = 4;
    local.commit_retention = 2;
  }
  ~bench() {
    for (const auto& x : actors_) caf::anon_send_exit(x, caf::exit_reason::kill);
    sched.run();
  }

  runtime::environment_ptr environment() {
    auto env = std::make_shared<runtime::environment>();
    env->self = validator_id{0};
    env->members = members;
    env->protocol = protocol;
    env->local = local;
    env->store = store;
    env->coin = std::make_shared<crypto::fake_coin>(7, n, 1, env->self);
    env->metrics = metrics = std::make_shared<runtime::metrics>(runtime::labels{});
    env->now = [this] {
      return time_point{std::chrono::hours(1) + sched.clock().now().time_since_epoch()};
    };
    env->fail = [this](ec, const std::string& what) { failures.push_back(what); };
    return env;
  }

  template <class... Ts>
  auto spawn(Ts&&... xs) {
    auto handle = system.spawn(std::forward<Ts>(xs)...);
    actors_.push_back(caf::actor_cast<caf::actor>(handle));
    return handle;
  }

  /// A committer on what the disk holds, with new neighbours.
  std::shared_ptr<heard> boot() {
    auto neighbours = std::make_shared<heard>();
    role = spawn(shell, environment());
    caf::anon_send(role, atom::meet_v, worker_id{0}, spawn(worker_of, neighbours));
    caf::anon_send(role, atom::meet_v, executor_id{0}, spawn(executor_of, neighbours));
    caf::anon_send(role, atom::meet_v, spawn(committed_of, neighbours));
    caf::anon_send(role, atom::meet_v, spawn(signals_of, neighbours));
    caf::anon_send(role, atom::meet_v, spawn(control_of, neighbours));
    caf::anon_send(role, atom::start_v);
    sched.run();
    return neighbours;
  }
  /// Power off and on: the actors and what was not synced are gone.
  void crash() {
    for (const auto& x : actors_) caf::anon_send_exit(x, caf::exit_reason::kill);
    sched.run();
    actors_.clear();
    store->crash();
  }

  template <class... Ts>
  void tell(Ts&&... xs) {
    caf::anon_send(role, std::forward<Ts>(xs)...);
    sched.run();
  }
  void sync() {
    store->sync();
    sched.run();
  }
  void replay(std::uint64_t after) { tell(atom::replay_v, executor_id{0}, commit_index{after}); }
  void progress(std::uint64_t index, std::uint64_t snapshot = 0) {
    execution_progress x;
    x.index = commit_index{index};
    x.snapshot = commit_index{snapshot};
    tell(encode(x));
  }

  /// The next round of the DAG, in which everybody links everybody. Validator 0 carries `payload`.
  /// Kept for `feed`.
  void make_round(const std::vector<digest>& payload = {}) {
    const round_number round{++rounds_};
    std::vector<digest> made;
    for (std::uint16_t a = 0; a < n; ++a) {
      header x;
      x.author = validator_id{a};
      x.round = round;
      x.created_at = time_point{std::chrono::hours(1)};
      x.queue_delay = std::chrono::microseconds(100 * a);
      x.parents = newest_;
      if (a == 0)
        for (const digest& batch : payload) x.payload.push_back({batch, worker_id{0}, 2, {}, {}});
      x.control = {capacity_declaration{round.value, a}};
      if (carries_coin_share(round))
        x.coin_share = crypto::fake_coin(7, n, 1, x.author).share(coin_wave(round));
      signed_bytes bytes{encode_header(x), {}};
      x.id = header_id(bytes.body);
      made.push_back(x.id);
      certificate cert{x.id, x.author, round, {}};
      for (const std::uint16_t voter : {0, 1, 2}) cert.votes.push_back({validator_id{voter}, {}});
      frames.push_back(encode(certified_header{std::move(x), std::move(bytes), std::move(cert)}));
    }
    newest_ = std::move(made);
  }
  /// Makes rounds until there are `count` of them, and feeds them all in order.
  void run_to_round(std::uint64_t count) {
    while (rounds_ < count) make_round();
    for (const auto& x : frames) caf::anon_send(role, x);
    sched.run();
  }

  double value(const std::string& name, const runtime::labels& own = {}) {
    for (const auto& family : metrics->registry()->Collect())
      if (family.name == name)
        for (const auto& x : family.metric) {
          bool all = true;
          for (const auto& [key, wanted] : own)
            all = all &&
                  std::any_of(x.label.begin(), x.label.end(), [&, k = key, w = wanted](auto& l) {
                    return l.name == k && l.value == w;
                  });
          if (all) return x.counter.value + x.gauge.value + double(x.histogram.sample_count);
        }
    return -1;
  }

  struct config : caf::actor_system_config {
    config() {
      add_message_types<caf::id_block::flamingo>();
      set("scheduler.policy", caf::atom("testing"));
    }
  } cfg;
  caf::actor_system system{cfg};
  caf::scheduler::test_coordinator& sched =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  local_parameters local;
  std::shared_ptr<storage::memory_kv> store = std::make_shared<storage::memory_kv>();
  std::shared_ptr<runtime::metrics> metrics;
  std::vector<std::string> failures;
  committer_actor role;
  std::vector<certified_frame> frames;  // of all rounds made, in causal order

private:
  using notes_ptr = std::shared_ptr<heard>;
  static sequenced_sink::behavior_type worker_of(sequenced_sink::pointer, const notes_ptr& to) {
    return {[to](const sequenced_frame& x) { to->by_worker.push_back(*decode(x)); },
            [to](const wanted_frame& x) {
              const auto batches = decode(x);
              to->wanted.insert(to->wanted.end(), batches->begin(), batches->end());
            },
            [to](const committed_frame&) { ++to->notices_to_worker; }};
  }
  static stream_sink::behavior_type executor_of(stream_sink::pointer, const notes_ptr& to) {
    return {[to](const sequenced_frame& x) { to->by_executor.push_back(*decode(x)); },
            [](const payload_frame&) {}, [](const pushed_frame&) {}, [](const results_frame&) {},
            [](const leaves_frame&) {}};
  }
  static committed_sink::behavior_type committed_of(committed_sink::pointer, const notes_ptr& to) {
    return {[to](const committed_frame& x) { to->notices.push_back(*decode(x)); }};
  }
  static signals_sink::behavior_type signals_of(signals_sink::pointer, const notes_ptr& to) {
    return {[to](const signals_frame& x) { to->signals.push_back(*decode(x)); }};
  }
  static control_sink::behavior_type control_of(control_sink::pointer, const notes_ptr& to) {
    return {[to](const committed_control_frame& x) { to->controls.push_back(*decode(x)); }};
  }

  std::vector<caf::actor> actors_;
  std::uint64_t rounds_ = 0;
  std::vector<digest> newest_;  // ids of the newest round's headers
};

}  // namespace flamingo::committer::test
