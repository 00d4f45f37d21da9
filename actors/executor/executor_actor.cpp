#include "actors/executor/executor_actor.hpp"

#include <caf/all.hpp>
#include <mutex>

#include "crypto/hash.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"

namespace flamingo::executor {

namespace {

using pointer = executor_actor::stateful_pointer<state>;

constexpr int batches_a_turn = 4;  // then other messages, and other actors, have their turn

digest sha256(byte_span bytes) {
  return crypto::hash({bytes});
}

std::uint16_t bucket_of(std::uint64_t key) {
  const digest d = sha256(crypto::little_endian(key));
  return static_cast<std::uint16_t>(d.bytes[0] << 8 | d.bytes[1]);
}

/// All executors of a process share one table: it follows from the number of dense keys alone.
std::shared_ptr<const dense_buckets> shared_buckets(std::uint64_t dense_keys) {
  static std::mutex guard;
  static std::map<std::uint64_t, std::weak_ptr<const dense_buckets>> tables;
  const std::lock_guard lock(guard);
  auto& known = tables[dense_keys];
  auto table = known.lock();
  if (!table) known = table = std::make_shared<const dense_buckets>(dense_keys, &bucket_of);
  return table;
}

prometheus::Histogram::BucketBoundaries seconds_from(double first, int count) {
  prometheus::Histogram::BucketBoundaries out;
  for (int i = 0; i < count; ++i, first *= 2) out.push_back(first);
  return out;
}

double seconds(duration d) {
  return std::chrono::duration<double>(d).count();
}

// -- effects

void submit_chunk(pointer self) {
  auto& s = self->state;
  auto writes = s.snapshots->next_chunk();
  if (s.snapshots->all_given()) {
    auto leaves = s.snapshots->take_leaves();
    if (s.id.value == 0)
      self->send(self, encode(leaves));
    else if (s.executors[0])
      self->send(s.executors[0], encode(leaves));
  }
  // Beside the stream, not in one queue with what we send: nothing we say but Progress.snapshot
  // rests on it.
  s.env->store->write(std::move(writes), [env = s.env, handle = executor_actor(self)](
                                             const storage::write_result& result) {
    if (result.ok())
      caf::anon_send(handle, atom::durable_v, std::uint64_t{0});
    else
      env->fail(ec::store_failed, result.message);
  });
}

template <class Handle, class Frame>
void send_to(pointer self, const std::vector<Handle>& all, std::size_t i, Frame frame) {
  FLAMINGO_ASSERT(i < all.size() && all[i]);  // introduced before the start
  self->send(all[i], std::move(frame));
}

void perform(pointer self, effects fx) {
  auto& s = self->state;
  if (fx.snapshot) {
    s.snapshot_begun = s.env->now();
    s.snapshots->begin(std::move(*fx.snapshot));
    submit_chunk(self);
  }
  for (const auto& x : fx.outputs.pushed) send_to(self, s.executors, x.to.value, encode(x.values));
  for (const auto& x : fx.outputs.results)
    send_to(self, s.executors, x.to.value, encode(x.results));
  for (const auto& x : fx.outputs.executed) send_to(self, s.workers, x.to.value, encode(x.bundles));
  if (fx.progress) {
    const auto frame = encode(*fx.progress);
    self->send(s.committer, frame);
    for (const auto& worker : s.workers) self->send(worker, frame);
  }
  if (fx.replay) self->send(s.committer, atom::replay_v, s.id, *fx.replay);
  for (const reject why : fx.rejected) s.metrics->rejects.count(why);
}

void arm_timer(pointer self) {
  auto& s = self->state;
  if (const auto wait = s.retry.arm(s.env->now(), s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

/// Takes up what can be run now, a few batches at a time.
void run_batches(pointer self) {
  auto& s = self->state;
  for (int i = 0; i < batches_a_turn && s.logic->runnable(); ++i) {
    s.logic->prepare();
    const time_point before = s.env->now();
    s.logic->plan();
    const time_point after = s.env->now();
    s.metrics->schedule_seconds.Observe(seconds(after - before));
    perform(self, s.logic->run(after));
  }
  if ((s.logic->runnable() || s.logic->holding()) && !s.continuing) {
    s.continuing = true;
    self->send(self, atom::tick_v);
  }
  arm_timer(self);
  s.metrics->update(*s.logic);
}

void take(pointer self, input in) {
  auto& s = self->state;
  perform(self, s.logic->step(s.env->now(), std::move(in)));
  run_batches(self);
}

template <class Input, class Frame>
void take_frame(pointer self, const Frame& frame) {
  if (auto value = decode(frame))
    take(self, Input{std::move(*value)});
  else
    self->state.metrics->rejects.count(reject::malformed);
}

void on_start(pointer self) {
  auto& s = self->state;
  s.started = true;
  if (s.restored_leaves) {
    if (s.id.value == 0)
      take(self, leaves_received{std::move(*s.restored_leaves)});
    else
      send_to(self, s.executors, 0, encode(*s.restored_leaves));
    s.restored_leaves.reset();
  }
  take(self, started{});
}

void on_chunk_durable(pointer self) {
  auto& s = self->state;
  if (!s.snapshots->all_given()) return submit_chunk(self);
  const commit_index index = s.snapshots->index();
  s.snapshots->finish();
  s.metrics->snapshot_seconds.Observe(seconds(s.env->now() - s.snapshot_begun));
  take(self, snapshot_durable{index});
}

// -- start

std::string damage(const snapshot_marker& marker, const std::string& what) {
  return what + " of the snapshot at commit " + std::to_string(marker.index.value) +
         " does not belong to this network's application; start with a copy of the store or an "
         "empty one";
}

/// One line for the operator if the newest snapshot cannot be restored.
std::optional<std::string> restore(state& s) {
  try {
    const auto marker = find_snapshot(*s.env->store);
    if (!marker) return std::nullopt;  // genesis
    if (marker->value_bytes != s.logic->values().value_bytes())
      return damage(*marker, "the size of values");
    std::vector<std::optional<digest>> leaves(bucket_count);
    std::optional<std::uint16_t> damaged;
    scan_snapshot(*s.env->store, *marker, [&](std::uint16_t bucket, byte_span bytes) {
      if (!s.logic->is_home(bucket)) return true;
      if (s.logic->restore_bucket(bytes))
        leaves[bucket] = leaf_of(bytes);
      else
        damaged = bucket;
      return !damaged;
    });
    if (damaged) return damage(*marker, "bucket " + std::to_string(*damaged));
    s.logic->restored(*marker);
    s.restored_leaves = {s.id, marker->index, {}, {}};
    for (std::size_t b = 0; b < bucket_count; ++b) {
      const auto bucket = static_cast<std::uint16_t>(b);
      if (!s.logic->is_home(bucket)) continue;
      s.restored_leaves->buckets.push_back(bucket);
      s.restored_leaves->hashes.push_back(leaves[b] ? *leaves[b] : empty_leaf(bucket));
    }
    return std::nullopt;
  } catch (const storage::error& failure) {
    return failure.what();
  }
}

parameters parameters_of(const runtime::environment& env, executor_id id) {
  parameters p;
  p.share = {id, env.local.executors, env.protocol.workers, env.protocol.execution_batch};
  p.waiting = {env.local.max_waiting_sub_dags, env.local.max_waiting_bytes};
  p.max_lead = env.local.max_lead;
  p.max_waiting_steps = env.local.max_waiting_steps;
  p.stream_retry = env.local.stream_retry;
  return p;
}

void initialise(state& s) {
  const auto rules = make_application(s.env->protocol);
  auto plans = make_scheduler(s.env->local.scheduler);
  if (!rules)
    return s.env->fail(ec::bad_configuration, "application = \"" + s.env->protocol.application +
                                                  "\": there is no such one");
  if (!plans)
    return s.env->fail(ec::bad_configuration,
                       "scheduler = \"" + s.env->local.scheduler + "\": there is no such one");
  s.logic.emplace(parameters_of(*s.env, s.id), rules, std::move(plans),
                  shared_buckets(rules->dense_keys()), functions{&bucket_of, &sha256});
  if (const auto failure = restore(s)) {
    s.logic.reset();
    s.env->fail(ec::store_failed, *failure);
  }
}

}  // namespace

// -- metrics

executor_metrics::executor_metrics(runtime::metrics& m, executor_id id)
    : rejects(m, "executor"),
      executed(m.counter("flamingo_executor_transactions_total",
                         "Transactions that this executor was the master of.",
                         {{"executor", std::to_string(id.value)}})),
      batches(m.counter("flamingo_executor_batches_total", "Execution batches planned.",
                        {{"executor", std::to_string(id.value)}})),
      pushed(m.counter("flamingo_executor_values_pushed_total",
                       "Values sent to other executors of the group, returned ones included.",
                       {{"executor", std::to_string(id.value)}})),
      remote_reads(m.counter("flamingo_executor_remote_reads_total",
                             "Values that a transaction run here needed from another executor.",
                             {{"executor", std::to_string(id.value)}})),
      unexpected(m.counter("flamingo_executor_unexpected_total",
                           "Values and results from other executors that nothing waited for.",
                           {{"executor", std::to_string(id.value)}})),
      index(m.gauge("flamingo_executor_commit_index", "Newest sub-DAG that is executed here.",
                    {{"executor", std::to_string(id.value)}})),
      snapshot(m.gauge("flamingo_executor_snapshot_index",
                       "Commit index of the newest durable snapshot of this executor.",
                       {{"executor", std::to_string(id.value)}})),
      sub_dags_waiting(m.gauge("flamingo_executor_sub_dags_waiting",
                               "Sub-DAGs of the stream that are known and not begun.",
                               {{"executor", std::to_string(id.value)}})),
      steps_waiting(m.gauge("flamingo_executor_steps_waiting",
                            "Transactions that wait here for a value.",
                            {{"executor", std::to_string(id.value)}})),
      early_frames(m.gauge("flamingo_executor_early_batches",
                           "Execution batches for which values came before the batch.",
                           {{"executor", std::to_string(id.value)}})),
      schedule_seconds(m.histogram("flamingo_executor_schedule_seconds",
                                   "Time to plan one execution batch.", seconds_from(5e-6, 14),
                                   {{"executor", std::to_string(id.value)}})),
      snapshot_seconds(m.histogram("flamingo_executor_snapshot_seconds",
                                   "Time from a snapshot's position until it is durable.",
                                   seconds_from(0.002, 14),
                                   {{"executor", std::to_string(id.value)}})) {}

void executor_metrics::update(const core& from) {
  const execution_counts& now = from.counts();
  const auto add = [](prometheus::Counter& to, std::uint64_t before, std::uint64_t after) {
    if (after != before) to.Increment(static_cast<double>(after - before));
  };
  add(executed, seen_.executed, now.executed);
  add(batches, seen_.batches, now.batches);
  add(pushed, seen_.values_pushed, now.values_pushed);
  add(remote_reads, seen_.remote_reads, now.remote_reads);
  add(unexpected, seen_.unexpected, now.unexpected);
  seen_ = now;
  index.Set(static_cast<double>(from.executed().value));
  snapshot.Set(static_cast<double>(from.snapshot().value));
  sub_dags_waiting.Set(static_cast<double>(from.sub_dags_waiting()));
  steps_waiting.Set(static_cast<double>(from.steps_waiting()));
  early_frames.Set(static_cast<double>(from.early_frames()));
}

// -- the actor

executor_actor::behavior_type shell(pointer self, runtime::environment_ptr env, executor_id id) {
  auto& s = self->state;
  s.env = std::move(env);
  s.id = id;
  s.metrics.emplace(*s.env->metrics, id);
  s.snapshots.emplace(id, s.env->local.snapshot_chunk);
  s.executors.resize(s.env->local.executors);
  s.workers.resize(s.env->protocol.workers);
  initialise(s);
  if (!s.logic) self->quit(caf::exit_reason::user_shutdown);
  return {
      [self](atom::meet, executor_id who, const stream_sink& sink) {
        if (who.value < self->state.executors.size()) self->state.executors[who.value] = sink;
      },
      [self](atom::meet, worker_id who, const executed_sink& sink) {
        if (who.value < self->state.workers.size()) self->state.workers[who.value] = sink;
      },
      [self](atom::meet, const progress_sink& committer) {
        self->state.committer = committer;
        // It restarted: it knows nothing of how far we are.
        if (self->state.started) take(self, started{});
      },
      [self](atom::start) { on_start(self); },
      [self](const sequenced_frame& x) { take_frame<sequenced_received>(self, x); },
      [self](const payload_frame& x) {
        if (auto payload = decode(x))
          take(self, payload_received{std::move(*payload), x.bytes()});
        else
          self->state.metrics->rejects.count(reject::malformed);
      },
      [self](const pushed_frame& x) { take_frame<values_received>(self, x); },
      [self](const results_frame& x) { take_frame<results_received>(self, x); },
      [self](const leaves_frame& x) { take_frame<leaves_received>(self, x); },
      [self](atom::durable, std::uint64_t) { on_chunk_durable(self); },
      [self](atom::tick) {
        self->state.continuing = false;
        self->state.retry.fired(self->state.env->now());
        take(self, timer{});
      },
  };
}

}  // namespace flamingo::executor
