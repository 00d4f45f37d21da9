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

void give_to_keeper(pointer self, snapshot_chunk_frame chunk) {
  self->send(self->state.keeper, durable_sink(executor_actor(self)), std::move(chunk));
}

/// The last chunk makes the snapshot count, and then nothing up to it is executed again: what came
/// of it must be durable with the workers before.
void ask_workers(pointer self) {
  auto& s = self->state;
  s.unrecorded = s.workers.size();
  for (const auto& worker : s.workers)
    self->request(worker, caf::infinite, atom::recorded_v, s.snapshots->index(), s.birth.life)
        .then(
            [self](commit_index) {
              auto& x = self->state;
              if (--x.unrecorded == 0 && x.last_chunk)
                give_to_keeper(self, *std::exchange(x.last_chunk, std::nullopt));
            },
            [](const caf::error&) {});  // it is gone: the group returns to the last snapshot
}

void submit_chunk(pointer self) {
  auto& s = self->state;
  // Beside the stream, not in one queue with what we send: nothing we say but Progress.snapshot
  // rests on it.
  auto chunk = encode(s.snapshots->next_chunk());
#if FLAMINGO_MUTANT_snapshot_before_outcomes
  s.unrecorded = 0;
#endif
  if (s.snapshots->all_given() && s.unrecorded > 0)
    s.last_chunk = std::move(chunk);
  else
    give_to_keeper(self, std::move(chunk));
  if (!s.snapshots->all_given()) return;
  auto leaves = s.snapshots->take_leaves();
  if (s.birth.id.value == 0)
    self->send(self, encode(leaves));
  else if (s.executors[0])
    self->send(s.executors[0], encode(leaves));
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
    ask_workers(self);
    submit_chunk(self);
  }
  for (const auto& x : fx.outputs.pushed) send_to(self, s.executors, x.to.value, encode(x.values));
  for (const auto& x : fx.outputs.requested)
    send_to(self, s.executors, x.to.value, encode(x.request));
  for (const auto& x : fx.outputs.results)
    send_to(self, s.executors, x.to.value, encode(x.results));
  for (const auto& x : fx.outputs.executed) send_to(self, s.workers, x.to.value, encode(x.bundles));
  if (fx.replay) self->send(s.committer, atom::replay_v, s.birth.id, *fx.replay, s.birth.life);
  if (fx.progress) {
    const auto frame = encode(*fx.progress);
    self->send(s.committer, frame);
    if (s.group) self->send(s.group, frame);
    for (const auto& worker : s.workers) self->send(worker, frame);
  }
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
  s.metrics->update(*s.logic, s.birth.id);
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
    if (s.birth.id.value == 0)
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
  s.metrics->snapshot_is_durable(s.env->now());
  s.metrics->snapshot_seconds.Observe(seconds(s.env->now() - s.snapshot_begun));
  take(self, snapshot_durable{index});
}

// -- start

std::string damage(const snapshot_marker& marker, const std::string& what) {
  return what + " of the snapshot at commit " + std::to_string(marker.index.value) +
         " does not belong to this network's application; start with a copy of the store or an "
         "empty one";
}

void end_restoring(pointer self) {
  auto& s = self->state;
  s.restored = true;
  for (auto& promise : std::exchange(s.asked, {})) promise.deliver(s.birth.id);
}

void fail(pointer self, const std::string& what) {
  self->state.env->fail(ec::store_failed, what);
  self->quit(caf::exit_reason::user_shutdown);
}

/// Takes some buckets of the snapshot. One line for the operator if they cannot be restored.
std::optional<std::string> take_part(state& s, const snapshot_part& part) {
  const snapshot_marker marker{part.number, part.index, s.birth.group.executors, part.value_bytes};
  if (part.number == 0)
    return "the snapshot at commit " + std::to_string(s.birth.from.value) + " is not there";
  if (part.value_bytes != s.logic->values().value_bytes())
    return damage(marker, "the size of values");
  for (const auto& bucket : part.buckets) {
    const byte_span bytes(bucket);
    if (!s.logic->restore_bucket(bytes)) return damage(marker, "a bucket");
    s.leaves[bytes[0] | bytes[1] << 8] = leaf_of(bytes);
  }
  return std::nullopt;
}

void all_restored(state& s, const snapshot_part& last) {
  s.logic->restored({last.number, last.index, s.birth.group.executors, last.value_bytes});
  s.restored_leaves = {s.birth.id, last.index, {}, {}};
  for (std::size_t b = 0; b < bucket_count; ++b) {
    const auto bucket = static_cast<std::uint16_t>(b);
    if (!s.logic->is_home(bucket)) continue;
    s.restored_leaves->buckets.push_back(bucket);
    s.restored_leaves->hashes.push_back(s.leaves[b] ? *s.leaves[b] : empty_leaf(bucket));
  }
  s.leaves = {};
}

void restore(pointer self, std::uint32_t first) {
  auto& s = self->state;
  const snapshot_wanted wanted{s.birth.id, s.birth.group.executors, s.birth.from, first};
  // Without a keeper this life of the group is over.
  self->request(s.keeper, caf::infinite, encode(wanted))
      .then(
          [self](const snapshot_part_frame& frame) {
            auto& x = self->state;
            const auto part = decode(frame).value_or(snapshot_part{});
            if (const auto failure = take_part(x, part)) return fail(self, *failure);
            if (part.next < bucket_count) return restore(self, part.next);
            all_restored(x, part);
            end_restoring(self);
          },
          [](const caf::error&) {});
}

parameters parameters_of(const runtime::environment& env, const executor_birth& birth) {
  parameters p;
  p.share = {birth.id, birth.group.executors, env.protocol.workers, env.protocol.execution_batch,
             birth.group.slack_per_mille};
  p.group_version = birth.group.version;
  p.life = birth.life;
  p.waiting = {env.local.max_waiting_sub_dags, env.local.max_waiting_bytes};
  p.max_lead = env.local.max_lead;
  p.max_waiting_steps = env.local.max_waiting_steps;
  p.stream_retry = env.local.stream_retry;
  return p;
}

void initialise(pointer self) {
  auto& s = self->state;
  const auto rules = make_application(s.env->protocol);
  auto plans = make_scheduler(s.birth.scheduler, s.birth.group.slack_per_mille);
  if (!rules)
    return s.env->fail(ec::bad_configuration, "application = \"" + s.env->protocol.application +
                                                  "\": there is no such one");
  if (!plans)
    return s.env->fail(ec::bad_configuration,
                       "scheduler = \"" + s.birth.scheduler + "\": there is no such one");
  if (!plans->keeps_order())
    return s.env->fail(ec::bad_configuration, "scheduler = \"" + s.birth.scheduler +
                                                  "\": it changes the committed order, and serves "
                                                  "comparisons alone");
  s.logic.emplace(parameters_of(*s.env, s.birth), rules, std::move(plans),
                  shared_buckets(rules->dense_keys()), functions{&bucket_of, &sha256});
  if (!s.birth.group.has(s.birth.id)) {
    s.logic->stand_by(s.birth.from);
    return end_restoring(self);
  }
  if (s.birth.from == commit_index{0}) return end_restoring(self);  // genesis
  s.leaves.resize(bucket_count);
  restore(self, 0);
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
      snapshot_time(m.gauge("flamingo_executor_snapshot_timestamp_seconds",
                            "When the newest snapshot became durable, since the Unix epoch.",
                            {{"executor", std::to_string(id.value)}})),
      in_group(m.gauge("flamingo_executor_in_group",
                       "Whether this executor takes part in what is executed now.",
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

void executor_metrics::snapshot_is_durable(time_point now) {
  snapshot_time.Set(seconds(now.time_since_epoch()));
}

void executor_metrics::update(const core& from, executor_id self) {
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
  in_group.Set(from.group().has(self) ? 1 : 0);
  index.Set(static_cast<double>(from.executed().value));
  snapshot.Set(static_cast<double>(from.snapshot().value));
  sub_dags_waiting.Set(static_cast<double>(from.sub_dags_waiting()));
  steps_waiting.Set(static_cast<double>(from.steps_waiting()));
  early_frames.Set(static_cast<double>(from.early_frames()));
}

// -- the actor

executor_actor::behavior_type shell(pointer self, runtime::environment_ptr env,
                                    const executor_birth& birth, const snapshot_keeper& keeper) {
  auto& s = self->state;
  s.env = std::move(env);
  s.birth = birth;
  s.keeper = keeper;
  s.metrics.emplace(*s.env->metrics, birth.id);
  s.snapshots.emplace(birth.id, s.env->local.snapshot_chunk);
  s.executors.resize(max_group_executors);
  s.workers.resize(s.env->protocol.workers);
  // It ends with the life of the group: what this executor would say from then on nobody wants.
  self->set_down_handler(
      [self](const caf::down_msg&) { self->quit(caf::exit_reason::user_shutdown); });
  self->monitor(keeper);
  initialise(self);
  if (!s.logic) self->quit(caf::exit_reason::user_shutdown);
  return {
      [self](atom::meet, executor_id who, const stream_sink& sink) {
        if (who.value < self->state.executors.size()) self->state.executors[who.value] = sink;
      },
      [self](atom::leave, executor_id who) {
        if (who.value < self->state.executors.size())
          self->state.executors[who.value] = stream_sink();
      },
      [self](atom::meet, worker_id who, const executed_sink& sink) {
        if (who.value < self->state.workers.size()) self->state.workers[who.value] = sink;
      },
      [self](atom::meet, const progress_sink& committer) {
        self->state.committer = committer;
        // It restarted: it knows nothing of how far we are.
        if (self->state.started) take(self, started{});
      },
      [self](atom::meet, const group_sink& group) { self->state.group = group; },
      [self](atom::ready) -> caf::result<executor_id> {
        auto& x = self->state;
        if (x.restored) return x.birth.id;
        return x.asked.emplace_back(self->make_response_promise<executor_id>());
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
      [self](const requested_frame& x) { take_frame<requests_received>(self, x); },
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

// -- a process in which executors may run

executor_host::behavior_type host_shell(executor_host::stateful_pointer<host_state> self,
                                        runtime::environment_ptr env) {
  self->state.env = std::move(env);
  return {[self](const executor_birth& birth, const snapshot_keeper& keeper) {
    return self->home_system().spawn(shell, self->state.env, birth, keeper);
  }};
}

}  // namespace flamingo::executor
