// A committer's shell on the bench, with the whole DAG of four validators that all keep up, and
// neighbours that take notes.
#pragma once

#include <functional>

#include "actors/committer/committer_actor.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "tests/actors/shell_bench.hpp"

namespace flamingo::committer::test {

/// What the neighbours of one life of the committer were sent, each in order.
struct heard {
  std::vector<sequenced_sub_dag> by_worker, by_executor;
  std::vector<wanted_batch> wanted;
  std::vector<withdrawal_noted> noted;
  std::size_t notices_to_worker = 0;
  std::vector<commit_notice> notices;
  std::vector<commit_signals> signals;
  std::vector<commit_control> controls;
};

class bench : public testing::shell_bench {
public:
  bench() : newest_(genesis()) {
    protocol.gc_depth = 10;
    protocol.checkpoint_anchors = 4;
    local.executors = 1;
    local.stream_window = 4;
    local.commit_retention = 2;
  }

  /// A committer on what the disk holds, with new neighbours.
  std::shared_ptr<heard> boot() {
    auto neighbours = std::make_shared<heard>();
    role = spawn(shell, environment(0));
    introduce = [this, worker = spawn(worker_of, neighbours),
                 executor = spawn(executor_of, neighbours),
                 committed = spawn(committed_of, neighbours),
                 signals = spawn(signals_of, neighbours), control = spawn(control_of, neighbours)] {
      caf::anon_send(role, atom::meet_v, worker_id{0}, worker);
      caf::anon_send(role, atom::meet_v, executor_id{0}, executor);
      caf::anon_send(role, atom::meet_v, committed);
      caf::anon_send(role, atom::meet_v, signals);
      caf::anon_send(role, atom::meet_v, control);
    };
    introduce();
    caf::anon_send(role, atom::start_v);
    run();
    return neighbours;
  }
  template <class... Ts>
  void tell(Ts&&... xs) {
    caf::anon_send(role, std::forward<Ts>(xs)...);
    run();
  }
  void replay(std::uint64_t after) {
    tell(atom::replay_v, executor_id{0}, commit_index{after}, std::uint64_t{0});
  }
  void progress(std::uint64_t index, std::uint64_t snapshot = 0) {
    execution_progress x;
    x.index = commit_index{index};
    x.snapshot = commit_index{snapshot};
    tell(encode(x));
  }

  /// The next round of the DAG, in which everybody links everybody. Validator 0 carries `payload`.
  /// Kept for `run_to_round`.
  void make_round(const std::vector<digest>& payload = {}) {
    const round_number round{++rounds_};
    std::vector<digest> made;
    for (unsigned a = 0; a < n; ++a) {
      header x;
      x.author = testing::v(a);
      x.round = round;
      x.created_at = now();
      x.queue_delay = std::chrono::microseconds(100 * a);
      x.parents = newest_;
      if (a == 0)
        for (const digest& batch : payload) x.payload.push_back({batch, worker_id{0}, 2, {}, {}});
      x.control = {capacity_declaration{round.value, a}};
      const auto certified = certify(sign(std::move(x)), {0, 1, 2});
      made.push_back(certified.hdr.id);
      frames.push_back(encode(certified));
    }
    newest_ = std::move(made);
  }
  /// Makes rounds until there are `count` of them, and feeds them all in order.
  void run_to_round(std::uint64_t count) {
    while (rounds_ < count) make_round();
    for (const auto& x : frames) caf::anon_send(role, x);
    run();
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

  committer_actor role;
  std::function<void()> introduce;      // of the neighbours of this life, once more
  std::vector<certified_frame> frames;  // of all rounds made, in causal order

private:
  using notes_ptr = std::shared_ptr<heard>;
  static sequenced_sink::behavior_type worker_of(sequenced_sink::pointer, const notes_ptr& to) {
    return {[to](const sequenced_frame& x) { to->by_worker.push_back(*decode(x)); },
            [to](const wanted_frame& x) {
              const auto batches = decode(x);
              to->wanted.insert(to->wanted.end(), batches->begin(), batches->end());
            },
            [to](const noted_frame& x) { to->noted.push_back(*decode(x)); },
            [to](const committed_frame&) { ++to->notices_to_worker; }};
  }
  static stream_sink::behavior_type executor_of(stream_sink::pointer, const notes_ptr& to) {
    return {[to](const sequenced_frame& x) { to->by_executor.push_back(*decode(x)); },
            [](const payload_frame&) {},
            [](const pushed_frame&) {},
            [](const requested_frame&) {},
            [](const results_frame&) {},
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

  std::uint64_t rounds_ = 0;
  std::vector<digest> newest_;  // ids of the newest round's headers
};

}  // namespace flamingo::committer::test
