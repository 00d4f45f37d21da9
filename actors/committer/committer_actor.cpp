#include "actors/committer/committer_actor.hpp"

#include <spdlog/spdlog.h>
#include <caf/all.hpp>

#include "actors/committer/committer_store_actor.hpp"
#include "actors/dag/limits.hpp"
#include "actors/runtime/neighbours.hpp"
#include "crypto/coin.hpp"
#include "crypto/sub_dag_chain.hpp"
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"

namespace flamingo::committer {

namespace {

using pointer = committer_actor::stateful_pointer<state>;
using storage::key;
using storage::table;

// -- sends
// ----------------------------------------------------------------------------------------

void fail(pointer self, const std::string& what) {
  self->state.env->fail(ec::store_failed, what);
  self->quit();
}

/// The frame of a commit. Empty if it is not kept, or, after saying why, if the store fails.
sequenced_frame frame_of(pointer self, commit_index index) {
  auto& s = self->state;
  for (const auto& [at, frame] : s.recent)
    if (at == index) return frame;
  try {
    if (auto bytes = s.env->store->get(table::commits, key::of(index)))
      return sequenced_frame(shared_bytes(std::move(*bytes)));
  } catch (const storage::error& e) {
    fail(self, e.what());
  }
  return {};
}

void send_part(pointer self, const stream_part& part) {
  auto& s = self->state;
  const sequenced_frame frame = frame_of(self, part.index);
  if (frame.bytes().empty())
    return fail(self, "commit " + std::to_string(part.index.value) +
                          " is missing in the store: restore the validator's data directory");
  for (const auto& [id, worker] : s.workers) self->send(worker, frame);
  for (const executor_id who : part.to)
    if (const auto found = s.executors.find(who); found != s.executors.end())
      self->send(found->second, frame);
}

void send_notice(pointer self, const committed_frame& notice) {
  for (const auto& sink : self->state.committed) self->send(sink, notice);
  for (const auto& [id, worker] : self->state.workers) self->send(worker, notice);
}

/// One frame for each worker whose batches are wanted.
void send_wanted(pointer self, const std::vector<wanted_batch>& wanted) {
  std::map<worker_id, std::vector<wanted_batch>> by_worker;
  for (const wanted_batch& x : wanted) by_worker[x.worker].push_back(x);
  for (const auto& [id, batches] : by_worker)
    if (const auto found = self->state.workers.find(id); found != self->state.workers.end())
      self->send(found->second, encode(batches));
}

void send_noted(pointer self, const noted_to& x) {
  const auto found = self->state.workers.find(x.worker);
  if (found != self->state.workers.end()) self->send(found->second, encode(x.what));
}

/// The ledger of the commit whose writes were just submitted.
ledger_frame ledger_after(pointer self, commit_index index) {
  try {
    return encode(ledger_made{index, encode_ledger(read_ledger(*self->state.env->store))});
  } catch (const storage::error& e) {
    fail(self, e.what());
    return {};
  }
}

/// A change of the group is durable.
void answer_group_asked(pointer self, const group_entry& change) {
  auto& s = self->state;
  for (auto& [executors, promise] : s.group_asked)
    if (executors == change.group.executors)
      promise.deliver(s.logic->groups_after(change.from - 1));
  std::erase_if(s.group_asked, [&](const auto& x) { return x.first == change.group.executors; });
}

void perform_commit(pointer self, commit x) {
  auto& s = self->state;
  x.stream.chain = s.chain =
      crypto::sub_dag_chain(s.chain, x.head.index, x.stream.anchor, x.notice.output);
  const sequenced_frame frame = encode(x.stream);
  s.counted->committed(x, s.totals, s.env->self, s.env->now());
  s.totals = x.totals;
  s.transactions.note(s.env->now(), x.totals.transactions);
  s.recent.emplace_back(x.head.index, frame);
  if (s.recent.size() > s.env->local.stream_window) s.recent.pop_front();
#if FLAMINGO_MUTANT_windows_after_the_commit
  commit without = x;
  without.windows.clear();
  s.out->perform(writes_of(without, s.chain, frame), nullptr);
#endif
  s.out->perform(writes_of(x, s.chain, frame),
                 [self, notice = encode(x.notice), signals = encode(x.signals),
                  control = encode(x.control), has_records = !x.control.records.empty()] {
                   send_notice(self, notice);
                   for (const auto& sink : self->state.monitors) self->send(sink, signals);
                   for (const auto& sink : self->state.coordinators) self->send(sink, control);
                   if (has_records)
                     for (const auto& sink : self->state.checkpointers) self->send(sink, control);
                 });
  if (!x.groups.empty())
    s.out->perform({}, [self, change = x.groups.back()] { answer_group_asked(self, change); });
  if (!x.stream.snapshot || s.checkpointers.empty()) return;
  s.out->perform({}, [self, made = ledger_after(self, x.head.index)] {
    for (const auto& sink : self->state.checkpointers) self->send(sink, made);
  });
}

/// A new root of the executors' state is the checkpointer's business, too.
void hand_on_root(pointer self, const progress_frame& frame, const execution_progress& x) {
  auto& s = self->state;
  if (!x.state_root || x.state_root_index <= s.root_handed_on) return;
  s.root_handed_on = x.state_root_index;
  for (const auto& sink : s.checkpointers) self->send(sink, frame);
}

void arm(pointer self) {
  auto& s = self->state;
  if (const auto wait = s.timer.arm(s.env->now(), s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

/// Performs the effects of one step. Everything leaves through the outbox, in the order of steps.
void perform(pointer self, effects x) {
  auto& s = self->state;
  for (commit& y : x.commits) perform_commit(self, std::move(y));
#if FLAMINGO_MUTANT_stream_before_commit_is_durable
  for (const stream_part& part : std::exchange(x.stream, {})) send_part(self, part);
#endif
  if (x.announcement || !x.stream.empty() || !x.wanted.empty() || x.noted)
    s.out->perform({}, [self, stream = std::move(x.stream), wanted = std::move(x.wanted),
                        noted = std::move(x.noted), announcement = std::move(x.announcement)] {
      if (announcement) send_notice(self, encode(*announcement));
      for (const stream_part& part : stream) send_part(self, part);
      send_wanted(self, wanted);
      if (noted) send_noted(self, *noted);
    });
  for (const reject why : x.rejected) s.counted->rejected.count(why);
  if (x.left_behind) s.env->rejoin();
  if (x.unservable)
    fail(self, "executor " + std::to_string(x.unservable->who.value) +
                   " asks for the stream after commit " +
                   std::to_string(x.unservable->after.value) +
                   ", which is not kept any more: its data directory is older than this one's");
}

void run(pointer self, input in) {
  auto& s = self->state;
  effects x = s.logic->step(s.env->now(), std::move(in));
  const auto coins = std::move(x.coins);
  perform(self, std::move(x));
  for (const coin_wanted& coin : coins) {
    std::vector<crypto::coin_share> shares;
    for (const auto& [author, bytes] : coin.shares) shares.push_back({author, bytes});
    if (const auto value = s.env->coin->combine(coin.wave, shares))
      run(self, coin_known{coin.wave, *value});
  }
  s.counted->waiting.Set(static_cast<double>(s.logic->waiting_sub_dags()));
  s.counted->executed.Set(static_cast<double>(s.logic->executed().value));
  arm(self);
}

/// Decodes and steps; what cannot be decoded is counted.
template <class Decoded>
void run_if(pointer self, std::optional<Decoded> x) {
  if (x)
    run(self, std::move(*x));
  else
    self->state.counted->rejected.count(reject::malformed);
}

std::optional<certified> certified_of(pointer self, const certified_frame& frame) {
  const auto& env = *self->state.env;
  auto x = decode(frame, dag::limits_of(*env.members, env.protocol));
  if (!x) return std::nullopt;
  certified result{std::move(x->hdr), {}};
  for (const auto& [voter, sig] : x->cert.votes) result.signers.push_back(voter);
  return result;
}

/// Answered at once if there is nothing to change.
caf::result<group_log> change_group(pointer self, std::uint16_t executors) {
  auto& s = self->state;
  if (executors < 1 || executors > max_group_executors) return caf::sec::invalid_argument;
  run(self, group_wanted{executors});
  if (s.logic->group().executors == executors)
    return s.logic->groups_after(s.logic->status().index);
  return s.group_asked.emplace_back(executors, self->make_response_promise<group_log>()).second;
}

operator_frame report(pointer self) {
  auto& s = self->state;
  status_report x = s.logic->status();
  x.chain = s.chain;
  if (const auto before = s.transactions.before(s.env->now()))
    x.committed_before = {before->total, std::chrono::ceil<std::chrono::microseconds>(before->ago)};
  if (x.executed >= x.index)
    x.executed_transactions = x.committed_transactions;
  else if (const auto next = decode(frame_of(self, x.executed + 1)))
    x.executed_transactions = next->first_position.value;
  return encode(operator_message{x});
}

void start(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = std::move(env);
  const auto& e = *s.env;
  s.counted.emplace(*e.metrics);
  s.out.emplace(
      *e.store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<committer_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env_ptr = s.env](const std::string& what) { env_ptr->fail(ec::store_failed, what); });
  auto store = recover(*e.store, s.chain);
  s.totals = store.totals;
  s.transactions.note(s.env->now(), s.totals.transactions);
  if (!store.groups.empty() && store.groups.back().group.executors != e.local.executors)
    spdlog::info(
        "executors = {} in the file is their number at first: it is {} by now (flamingo "
        "executor add, remove)",
        e.local.executors, store.groups.back().group.executors);
  s.logic.emplace(parameters::of(e.self, *e.members, e.protocol, e.local), std::move(store));
}

}  // namespace

committer_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  try {
    start(self, env);
  } catch (const storage::error& e) {
    env->fail(ec::store_failed, e.what());
    self->quit();
    return committer_actor::behavior_type::make_empty_behavior();
  }
  return {
      [self](atom::meet, worker_id id, const sequenced_sink& x) {
        self->state.workers[id] = x;
        run(self, worker_met{});
      },
      [self](atom::meet, executor_id id, const stream_sink& x) {
        self->state.executors[id] = x;
        run(self, executor_met{id});
      },
      [self](atom::leave, executor_id id) {
        self->state.executors.erase(id);
        run(self, executor_left{id});
      },
      [self](atom::group, commit_index after) { return self->state.logic->groups_after(after); },
      [self](atom::group, std::uint16_t executors) { return change_group(self, executors); },
      [self](atom::meet, const committed_sink& x) { runtime::meet(self->state.committed, x); },
      [self](atom::meet, const signals_sink& x) { runtime::meet(self->state.monitors, x); },
      [self](atom::meet, const control_sink& x) { runtime::meet(self->state.coordinators, x); },
      [self](atom::meet, const checkpoint_sink& x) { runtime::meet(self->state.checkpointers, x); },
      [self](atom::start) { run(self, started{}); },
      [self](atom::diverged, commit_index at) { run(self, diverged{at}); },
      [self](const certified_frame& x) { run_if(self, certified_of(self, x)); },
      [self](const index_frame& x) {
        auto batch = decode(x);
        run_if(self, batch ? std::optional(indexed{std::move(*batch)}) : std::nullopt);
      },
      [self](const withdrawal_frame& x) {
        auto y = decode(x);
        run_if(self, y ? std::optional(batches_withdrawn{std::move(*y)}) : std::nullopt);
      },
      [self](const progress_frame& x) {
        auto progress = decode(x);
        if (progress) hand_on_root(self, x, *progress);
        run_if(self, progress ? std::optional(progressed{*progress}) : std::nullopt);
      },
      [self](atom::replay, executor_id who, commit_index after, std::uint64_t life) {
        run(self, replay_asked{who, after, life});
      },
      [self](atom::status) { return report(self); },
      [self](atom::durable, std::uint64_t ticket) { self->state.out->durable(ticket); },
      [self](atom::tick) {
        self->state.timer.fired(self->state.env->now());
        run(self, ticked{});
      }};
}

}  // namespace flamingo::committer
