#include "actors/worker/worker_actor.hpp"

#include <caf/all.hpp>

#include "actors/dag/limits.hpp"
#include "crypto/hash.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_validator.hpp"

namespace flamingo::worker {

namespace {

using pointer = worker_actor::stateful_pointer<state>;

constexpr std::size_t links_of_client_max = 8;

batch_limits limits_of(const protocol_parameters& x) {
  return {x.max_batch_bytes, x.max_bundles_per_batch, x.max_bundle_bytes};
}

void fail(pointer self, const std::string& what) {
  self->state.env->fail(ec::store_failed, what);
  self->quit();
}

void run(pointer self, input in);

// -- what the effects need of bytes

/// A batch in the store, or, after saying why, nothing.
worker_frame stored_batch(pointer self, const batch_key& batch) {
  try {
    if (auto frame = self->state.store->batch(batch)) return std::move(*frame);
    fail(self, "a batch is missing in the store: restore the validator's data directory");
  } catch (const storage::error& e) {
    fail(self, e.what());
  }
  return {};
}

std::shared_ptr<const packed_operations> stored_operations(pointer self, const batch_key& batch) {
  auto& s = self->state;
  s.counted->payloads_from_store.Increment();
  const worker_frame frame = stored_batch(self, batch);
  if (frame.bytes().empty()) return nullptr;
  const auto message = decode(frame, limits_of(s.env->protocol));
  const auto* view = message ? std::get_if<batch_view>(&*message) : nullptr;
  auto operations = view ? s.checks->pack(*view, batch.id) : std::nullopt;
  if (!operations) {
    fail(self, "a batch in the store is damaged: restore the validator's data directory");
    return nullptr;
  }
  return std::make_shared<const packed_operations>(std::move(*operations));
}

/// Built once, shared by all executors.
void send_payload(pointer self, const payload_order& order) {
  auto& s = self->state;
  auto operations = order.operations;
  if (!operations && order.any_fresh()) {
    operations = stored_operations(self, order.batch);
    if (!operations) return;
  }
  std::vector<byte_span> bundles(order.fresh.size());
  for (std::size_t i = 0; i < bundles.size(); ++i)
    if (order.fresh[i]) bundles[i] = operations->of(i);
  const payload_frame frame = encode_payload(order.index, order.batch.id, bundles);
  for (const auto& [id, executor] : s.executors) self->send(executor, frame);
  s.counted->payloads.Increment();
  s.counted->payload_bytes.Increment(static_cast<double>(frame.size()));
}

/// All validators give the same receipts, but for the codes: those come from the carrier.
client_frame signed_receipts_of(const runtime::environment& env, receipt_order& order) {
  receipts out{env.self, order.anchor_round, {}};
  out.list.reserve(order.list.size());
  for (outcome& x : order.list) {
    receipt& one = out.list.emplace_back(receipt{order.client,
                                                 x.sequence,
                                                 x.bundle,
                                                 x.index,
                                                 crypto::hash(crypto::tags::results, x.results),
                                                 {}});
    if (x.carrier == env.self) one.results = std::move(x.results);
  }
  signed_bytes parts{encode_receipts(out), {}};
  const crypto::signing_context context{env.members->chain, env.members->epoch};
  parts.sig = env.signer->sign(
      crypto::receipts_statement(context, crypto::hash(crypto::tags::receipts, parts.body)));
  return encode(client_message{signed_receipts{std::move(parts)}});
}

// -- sends

void send(pointer self, validator_id to, link_priority priority, const worker_frame& frame) {
  const auto found = self->state.peers.find(to);
  if (found != self->state.peers.end())
    self->send(found->second, atom::transmit_v, priority, frame);
}

void send(pointer self, client_id to, const client_frame& frame) {
  const auto found = self->state.clients.find(to);
  if (found == self->state.clients.end()) return;
  for (const auto& link : found->second)
    self->send(link, atom::transmit_v, link_priority::consensus, frame);
}

void send_batch(pointer self, const batch_send& x, link_priority priority) {
  worker_frame frame(x.frame);
  if (x.frame.empty()) frame = stored_batch(self, x.batch);
  if (!frame.bytes().empty()) send(self, x.to, priority, frame);
}

void send_index(pointer self, const batch_key& batch) {
  try {
    if (const auto frame = self->state.store->index(batch))
      self->send(self->state.committer, *frame);
  } catch (const storage::error& e) {
    fail(self, e.what());
  }
}

void send_to_peers(pointer self, effects& fx) {
  auto& counted = *self->state.counted;
  for (const auto& [to, ack] : fx.acks) send(self, to, link_priority::consensus, encode(ack));
  for (const auto& [to, absent] : fx.absent)
    send(self, to, link_priority::consensus, encode(absent));
  for (const auto& [to, request] : fx.requests) {
    counted.requests.Increment(static_cast<double>(request.batches.size()));
    send(self, to, link_priority::consensus, encode(request));
  }
  for (const auto& x : fx.batches) send_batch(self, x, link_priority::batches);
  for (const auto& x : fx.served) send_batch(self, x, link_priority::sync);
  counted.acknowledgements.Increment(static_cast<double>(fx.acks.size()));
  counted.served.Increment(static_cast<double>(fx.served.size()));
}

void send_within(pointer self, effects& fx) {
  auto& s = self->state;
  for (const auto& x : fx.available) {
    if (x.author == s.env->self)
      s.counted->queue_delay.Observe(std::chrono::duration<double>(x.wait).count());
    self->send(s.primary, encode(x));
  }
  if (fx.withdrawal) {
    const withdrawal_frame frame = encode(*fx.withdrawal);
    self->send(s.primary, frame);
    self->send(s.committer, frame);
  }
  for (const auto& x : fx.indexes) self->send(s.committer, encode(x));
  for (const auto& x : fx.stored_indexes) send_index(self, x);
  for (const auto& x : fx.payload) send_payload(self, x);
}

void send_to_clients(pointer self, effects& fx) {
  auto& counted = *self->state.counted;
  for (const auto& [to, message] : fx.to_clients) {
    if (const auto* answer = std::get_if<admission_answer>(&message))
      counted.answers[answer->what.index()]->Increment();
    send(self, to, encode(message));
  }
  for (auto& order : fx.receipts) {
    counted.receipts.Increment(static_cast<double>(order.list.size()));
    counted.receipt_messages.Increment();
    send(self, order.client, signed_receipts_of(*self->state.env, order));
  }
}

// -- writes

void answer_about_outcomes(pointer self, std::uint64_t ticket) {
  auto question = self->state.asked.extract(ticket);
  question.mapped().answer.deliver(question.mapped().index);
}

void write(pointer self, effects& fx) {
  auto& s = self->state;
  if (!fx.store.empty()) {
    storage::write_batch batches;
    std::vector<digest> ids;
    for (const auto& x : fx.store) {
      s.store->put(batches, x);
      ids.push_back(x.id);
      const bool own = x.author == s.env->self;
      (own ? s.counted->batches_sealed : s.counted->batches_received).Increment();
      (own ? s.counted->batch_bytes_sealed : s.counted->batch_bytes_received)
          .Increment(static_cast<double>(x.frame.size()));
    }
#if FLAMINGO_MUTANT_stored_before_durable
    s.out->perform(std::move(batches), nullptr);
    return run(self, batches_durable{std::move(ids)});
#endif
    s.out->perform(std::move(batches), [self, ids = std::move(ids)]() mutable {
      run(self, batches_durable{std::move(ids)});
    });
  }
  storage::write_batch notes;
  for (const auto& [index, batch] : fx.committed) s.store->put_committed(notes, index, batch);
  for (const auto& [index, batch] : fx.outdated) s.store->erase_committed(notes, index, batch);
  for (const client_id client : fx.windows)
    s.store->put_window(notes, client, *s.logic->window_of(client));
  for (const auto& x : fx.deletions) s.store->erase(notes, x);
  for (const auto& x : fx.given_up) s.store->erase(notes, x);
  for (const auto& [client, sequence] : fx.outcomes.kept)
    if (const outcome* x = s.logic->outcome_of(client, sequence))
      s.store->put_outcome(notes, client, *x);
  for (const auto& [client, sequence] : fx.outcomes.forgotten)
    s.store->erase_outcome(notes, client, sequence);
  if (!fx.committed.empty() || !fx.windows.empty())
    s.store->put_newest(notes, s.logic->newest_commit(), s.logic->anchor_round());
  s.counted->batches_deleted.Increment(static_cast<double>(fx.deletions.size()));
  s.counted->batches_given_up.Increment(static_cast<double>(fx.given_up.size()));
  if (!notes.empty()) s.out->perform(std::move(notes), nullptr);
  for (const std::uint64_t ticket : fx.outcomes_kept)
    s.out->perform({}, [self, ticket] { answer_about_outcomes(self, ticket); });
  for (const std::uint64_t ticket : fx.outcomes_void) s.asked.erase(ticket);
}

void seal(pointer self, const seal_order& order) {
  auto& s = self->state;
  auto batch = s.checks->seal(s.env->self, s.worker, order.sequence, order.bundles);
  s.counted->bundles_sealed.Increment(static_cast<double>(order.bundles.size()));
  s.counted->transactions_sealed.Increment(static_cast<double>(batch.transactions));
  run(self, batch_sealed{std::move(batch)});
}

// -- steps

void arm(pointer self) {
  auto& s = self->state;
  if (const auto wait = s.ticks.arm(s.env->now(), s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

void keep_working(pointer self) {
  auto& s = self->state;
  if (s.working || !s.logic->has_checks()) return;
  s.working = true;
  self->send(self, atom::work_v);
}

/// The effects of a step depend on nothing that is not durable yet (worker.hpp), so they leave at
/// once; what waits for `store` comes as a step of its own.
void run(pointer self, input in) {
  auto& s = self->state;
  effects fx = s.logic->step(s.env->now(), std::move(in));
  for (const reject why : fx.rejected) s.counted->rejected.count(why);
  for (const auto& order : fx.seals) seal(self, order);
  send_to_peers(self, fx);
  send_within(self, fx);
  send_to_clients(self, fx);
  write(self, fx);
}

void step(pointer self, input in) {
  run(self, std::move(in));
  self->state.counted->of_core(*self->state.logic);
  keep_working(self);
  arm(self);
}

template <class Decoded>
void step_if(pointer self, std::optional<Decoded> x) {
  if (x)
    step(self, std::move(*x));
  else
    self->state.counted->rejected.count(reject::malformed);
}

/// Decodes a frame of this validator's own roles and wraps it as the input `In`.
template <class In, class Frame>
void step_as(pointer self, const Frame& frame) {
  auto x = decode(frame);
  step_if(self, x ? std::optional(In{std::move(*x)}) : std::nullopt);
}

input result_of(pointer self, bundle_check x) {
  auto result = self->state.checks->check(x.bundle.parts);
  if (auto* good = std::get_if<verified<checked_bundle>>(&result))
    return bundle_checked{x.from, std::move(*good)};
  return bundle_refused{x.from, std::move(x.bundle), std::get<bundle_fault>(result)};
}

input result_of(pointer self, batch_check x) {
  auto& s = self->state;
  auto result = s.checks->check(x.batch, std::move(x.frame),
                                [&](const digest& id) { return s.logic->knows(id); });
  if (auto* good = std::get_if<verified<checked_batch>>(&result))
    return batch_checked{x.from, std::move(*good)};
  if (const auto* known = std::get_if<batch_checks::known_batch>(&result))
    return batch_known{x.from, known->id};
  return batch_refused{x.from, std::get<bundle_fault>(result)};
}

void work(pointer self) {
  auto& s = self->state;
  s.working = false;
  if (auto next = s.logic->next_check())
    step(self,
         std::visit([&](auto&& x) { return result_of(self, std::move(x)); }, std::move(*next)));
}

bool store_full(pointer self) {
  const auto& store = *self->state.env->store;
  return store.queued_bytes() > store.queue_bytes_max();
}

void on_client_frame(pointer self, client_id from, const client_frame& frame) {
  auto& s = self->state;
  auto message = decode_request(frame, frame.size());
  if (!message) return step(self, garbage_arrived{from});
  if (auto* bundle = std::get_if<signed_bundle>(&*message)) {
    const bundle_sequence claimed = claimed_sequence(bundle->parts.body);
    if (bundle->parts.body.size() > s.env->protocol.max_bundle_bytes)
      return step(self, garbage_arrived{from, bundle_fault::too_large, claimed});
    step(self, bundle_arrived{from, {std::move(bundle->parts), claimed}, store_full(self)});
  } else {
    step(self, query_arrived{from, std::get<receipt_query>(*message).sequence});
  }
}

void on_peer_frame(pointer self, validator_id from, const worker_frame& frame) {
  auto& s = self->state;
  auto message = decode(frame, limits_of(s.env->protocol));
  if (!message) return s.counted->rejected.count(reject::malformed);
  if (auto* batch = std::get_if<batch_view>(&*message))
    step(self, batch_arrived{from, std::move(*batch), frame.bytes(), store_full(self)});
  else if (const auto* stored = std::get_if<batch_stored>(&*message))
    step(self, stored_arrived{from, *stored});
  else if (auto* request = std::get_if<batch_request>(&*message))
    step(self, request_arrived{from, std::move(*request)});
  else
    step(self, absence_told{from, std::get<batches_absent>(std::move(*message))});
}

void on_link_up(pointer self, client_id client, const client_link& link) {
  auto& links = self->state.clients[client];
  links.push_back(link);
  if (links.size() > links_of_client_max) links.pop_front();
  step(self, client_up{client});
}

void on_link_down(pointer self, client_id client, const client_link& link) {
  auto& all = self->state.clients;
  const auto found = all.find(client);
  if (found == all.end()) return;
  std::erase(found->second, link);
  if (found->second.empty()) all.erase(found);
}

void on_link_up(pointer self, validator_id peer, const worker_link& link) {
  self->state.peers[peer] = link;
  step(self, peer_up{peer});
}

void on_link_down(pointer self, validator_id peer, const worker_link& link) {
  const auto found = self->state.peers.find(peer);
  if (found == self->state.peers.end() || found->second != link) return;  // a newer one is up
  self->state.peers.erase(found);
  step(self, peer_down{peer});
}

void start(pointer self, runtime::environment_ptr env, worker_id worker) {
  auto& s = self->state;
  s.env = std::move(env);
  s.worker = worker;
  const auto& e = *s.env;
  s.counted.emplace(*e.metrics, worker);
  s.out.emplace(
      *e.store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<worker_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env_ptr = s.env](const std::string& what) { env_ptr->fail(ec::store_failed, what); });
  s.checks.emplace(
      e.members, e.scheme,
      batch_check_limits{{e.protocol.max_bundle_bytes, e.protocol.max_transactions_per_bundle},
                         dag::room_for_counts(*e.members, e.protocol)});
  s.store.emplace(*e.store, worker);
  s.logic.emplace(parameters{e.self, worker, e.members, e.protocol, e.local});
  s.store->restore(*s.logic, e.now());
}

}  // namespace

worker_actor::behavior_type shell(pointer self, runtime::environment_ptr env, worker_id worker) {
  try {
    start(self, env, worker);
  } catch (const storage::error& e) {
    env->fail(ec::store_failed, e.what());
    self->quit();
    return worker_actor::behavior_type::make_empty_behavior();
  }
  return {
      [self](atom::meet, const availability_sink& x) {
        self->state.primary = x;
        // It restarted, and the committer with it: they know nothing of what is here.
        if (self->state.is_started) step(self, started{});
      },
      [self](atom::meet, const index_sink& x) { self->state.committer = x; },
      [self](atom::meet, executor_id id, const stream_sink& x) {
        self->state.executors[id] = x;
        step(self, executor_met{id});
      },
      [self](atom::leave, executor_id id) {
        self->state.executors.erase(id);
        step(self, executor_left{id});
      },
      [self](atom::start) {
        self->state.is_started = true;
        step(self, started{});
      },
      [self](atom::link_up, client_id c, const client_link& x) { on_link_up(self, c, x); },
      [self](atom::link_down, client_id c, const client_link& x) { on_link_down(self, c, x); },
      [self](client_id c, const client_frame& x) {
        self->state.counted->rejected.judge(x, [&] { on_client_frame(self, c, x); });
      },
      [self](atom::link_up, validator_id v, const worker_link& x) { on_link_up(self, v, x); },
      [self](atom::link_down, validator_id v, const worker_link& x) { on_link_down(self, v, x); },
      [self](validator_id v, const worker_frame& x) {
        self->state.counted->rejected.judge(x, [&] { on_peer_frame(self, v, x); });
      },
      [self](const sequenced_frame& x) { step_as<sub_dag_sequenced>(self, x); },
      [self](const wanted_frame& x) { step_as<batches_wanted>(self, x); },
      [self](const question_frame& x) { step_as<availability_asked>(self, x); },
      [self](const noted_frame& x) { step_as<withdrawal_answered>(self, x); },
      [self](const executed_frame& x) { step_as<bundles_executed>(self, x); },
      [self](const progress_frame& x) { step_as<execution_advanced>(self, x); },
      [self](atom::recorded, commit_index index, std::uint64_t life) -> caf::result<commit_index> {
        auto& s = self->state;
        const std::uint64_t ticket = ++s.tickets;
        auto answer = self->make_response_promise<commit_index>();
        s.asked.emplace(ticket, outcomes_question{index, answer});
        step(self, outcomes_asked{ticket, life, index});
        return answer;
      },
      [self](const assignment_frame& x) { step_as<table_changed>(self, x); },
      [self](const committed_frame& x) { step_as<commit_noticed>(self, x); },
      [self](atom::diverged, commit_index) { step(self, diverged{}); },
      [self](atom::durable, std::uint64_t ticket) {
        self->state.out->durable(ticket);
        self->state.counted->of_core(*self->state.logic);
        arm(self);
      },
      [self](atom::tick) {
        self->state.ticks.fired(self->state.env->now());
        step(self, time_passed{});
      },
      [self](atom::work) { work(self); }};
}

}  // namespace flamingo::worker
