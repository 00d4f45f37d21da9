// Executor shells on the test coordinator, with a committer and workers that only take notes, fed
// with a random stream.
#pragma once

#include "actors/executor/executor_actor.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "tests/actors/shell_bench.hpp"
#include "tests/unit/executor_stream.hpp"

namespace flamingo::executor::test {

class executor_bench : public flamingo::testing::shell_bench {
public:
  using question = std::pair<commit_index, caf::typed_response_promise<commit_index>>;

  explicit executor_bench(std::uint16_t group_size, const stream_settings& stream = {})
      : source(stream) {
    local.executors = group_size;
    local.snapshot_chunk = 1000;
    protocol.workers = 2;
    protocol.execution_batch = 30;
    protocol.accounts = stream.accounts;
    protocol.application = stream.keyset ? "keyset" : "smallbank";
    protocol.genesis_savings_cents = protocol.genesis_checking_cents = 100;
  }

  execution_group group() const { return {0, local.executors, local.slack_per_mille}; }

  /// Spawns the group from what the store holds, introduces everybody, and starts.
  void boot() {
    const auto env = environment(0);
    executors.clear();
    const auto snapshot = find_snapshot(*store);
    const auto keeper = spawn(keeper_shell, env);
    for (std::uint16_t i = 0; i < local.executors; ++i)
      executors.push_back(
          spawn(executor::shell, env,
                executor_birth{executor_id{i}, 1, snapshot ? snapshot->index : commit_index{},
                               group(), local.scheduler},
                keeper));
    run();
    committer = spawn([this](progress_sink::pointer) -> progress_sink::behavior_type {
      return {[this](const progress_frame& x) {
                progress.push_back(*decode(x));
                if (replays.empty()) ++told_before_asked;
              },
              [this](atom::replay, executor_id who, commit_index after, std::uint64_t) {
                replays.push_back({who, after});
              }};
    });
    for (std::uint16_t k = 0; k < protocol.workers; ++k) worker(k);
    for (std::uint16_t i = 0; i < local.executors; ++i) {
      caf::anon_send(executors[i], atom::meet_v, committer);
      for (std::uint16_t k = 0; k < local.executors; ++k)
        caf::anon_send(executors[i], atom::meet_v, executor_id{k}, stream_sink{executors[k]});
      for (std::uint16_t k = 0; k < protocol.workers; ++k)
        caf::anon_send(executors[i], atom::meet_v, worker_id{k}, workers[k]);
    }
    for (const auto& x : executors) caf::anon_send(x, atom::start_v);
    run();
  }

  executed_sink worker(std::uint16_t k) {
    return workers[k] = spawn([this,
                               k](executed_sink::pointer self) -> executed_sink::behavior_type {
             return {[this, k](const executed_frame& x) {
                       const auto bundles = *decode(x);
                       for (const auto& bundle : bundles.bundles) {
                         const auto codes = bundles.results_of(bundle);
                         answers[{bundle.client.value, bundle.sequence.value}] = {
                             bundles.index, bundle.id, bundle.author, {codes.begin(), codes.end()}};
                         if (bundle.client.value % protocol.workers != k) ++answers_to_wrong_worker;
                       }
                     },
                     [this, k](const progress_frame&) {
                       if (lagging.contains(k)) return;
                       for (auto& [index, answer] : std::exchange(outcomes_asked[k], {}))
                         answer.deliver(index);
                     },
                     [this, self, k](atom::recorded, commit_index x,
                                     std::uint64_t) -> caf::result<commit_index> {
                       if (!lagging.contains(k)) return x;
                       return outcomes_asked[k]
                           .emplace_back(x, self->make_response_promise<commit_index>())
                           .second;
                     }};
           });
  }

  /// The next sub-DAG, to every executor.
  void commit() {
    history.push_back(source.next());
    send(history.back());
    run();
  }
  void send(const sub_dag_frames& x) {
    sequenced_sub_dag sequenced = x.sequenced;
    sequenced.group = group();
    for (const auto& to : executors) {
      caf::anon_send(to, encode(sequenced));
      for (const auto& payload : x.payloads)
        caf::anon_send(to, encode_payload(payload.payload.index, payload.payload.batch,
                                          payload.payload.bundles));
    }
  }
  /// Lets snapshots, chunk by chunk, become durable.
  void sync_all() {
    while (store->pending() > 0) sync();
  }
  /// What the committer does when it is asked.
  void answer_replays() {
    const auto asked = std::exchange(replays, {});
    std::uint64_t after = history.size();
    for (const auto& [who, index] : asked) after = std::min(after, index.value);
    for (const auto& x : history)
      if (x.sequenced.index.value > after) send(x);
    run();
  }

  /// A lagging worker has stored all results.
  void catch_up(std::uint16_t worker) {
    lagging.erase(worker);
    caf::anon_send(workers[worker], encode(execution_progress{}));
    run();
  }

  /// The last progress that an executor reported.
  execution_progress last_progress(std::uint16_t executor) const {
    for (auto at = progress.rbegin(); at != progress.rend(); ++at)
      if (at->executor.value == executor) return *at;
    return {};
  }

  stream_source source;
  std::vector<executor_actor> executors;
  progress_sink committer;
  std::vector<execution_progress> progress;
  std::vector<std::pair<executor_id, commit_index>> replays;
  int told_before_asked = 0;  // progress, while nobody had asked for the stream
  std::map<answer_key, expected_answer> answers;
  int answers_to_wrong_worker = 0;
  std::map<std::uint16_t, executed_sink> workers;
  std::set<std::uint16_t> lagging;  // workers that have results still to be stored
  std::map<std::uint16_t, std::vector<question>> outcomes_asked;  // of those workers
  std::vector<sub_dag_frames> history;
};

}  // namespace flamingo::executor::test
