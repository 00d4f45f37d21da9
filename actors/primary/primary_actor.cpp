#include "actors/primary/primary_actor.hpp"

#include <caf/all.hpp>

#include "actors/dag/limits.hpp"
#include "crypto/coin.hpp"
#include "crypto/dag_checks.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"

namespace flamingo::primary {

namespace {

using pointer = primary_actor::stateful_pointer<state>;
using dag::screening;
using storage::key;
using storage::table;

// -- the store -------------------------------------------------------------------------------
// votes: (round, author) -> our signature, the header's digest, the header as signed.
// headers: own headers by round; marks of own headers that were output; evidence.
// meta: how far the log was.

constexpr std::uint8_t at_own = 0, at_output = 1, at_evidence = 2;
constexpr std::size_t vote_head_size = signature::size + digest::size;

key key_of_progress() {
  static constexpr std::string_view name = "primary/progress";
  return key(byte_span(reinterpret_cast<const byte*>(name.data()), name.size()));
}

key key_of_bar() {
  static constexpr std::string_view name = "primary/barred";
  return key(byte_span(reinterpret_cast<const byte*>(name.data()), name.size()));
}

shared_bytes vote_head(const vote& x) {
  std::vector<char> head(x.sig.bytes.begin(), x.sig.bytes.end());
  head.insert(head.end(), x.header.bytes.begin(), x.header.bytes.end());
  return shared_bytes(std::move(head));
}

/// The vote of a stored row; nothing if it is not one of ours.
std::optional<vote> stored_vote(dag_position where, validator_id self, byte_span row) {
  if (row.size() < vote_head_size) return std::nullopt;
  vote x{{}, where.author, where.round, self, {}};
  std::copy_n(row.begin(), signature::size, x.sig.bytes.begin());
  std::copy_n(row.begin() + signature::size, digest::size, x.header.bytes.begin());
  return x;
}

/// Throws storage::error if `good` does not hold.
void expect(bool good) {
  if (!good)
    throw storage::error(
        "table votes or headers of the store is damaged: restore the validator's data directory, "
        "or let it join anew");
}

byte_span span_of(const std::vector<char>& x) {
  return {reinterpret_cast<const byte*>(x.data()), x.size()};
}

/// The evidence of a store: each equivocation's two headers stand one after the other.
std::vector<kept_evidence> stored_evidence(storage::kv& store, const dag_limits& limits,
                                           const committee& members) {
  std::vector<kept_evidence> all;
  bool complete = true;
  const auto first = key::of(at_evidence);
  store.scan(table::headers, first, first.prefix_end(), [&](byte_span at, byte_span row) {
    expect(at.size() == 8 && at[7] <= 1);
    const auto hdr =
        decode(signed_frame{shared_bytes(std::vector<char>(row.begin(), row.end()))}, limits);
    const validator_id author{storage::number_at<std::uint16_t>(at, 1)};
    const auto slot = storage::number_at<std::uint32_t>(at, 3);
    expect(hdr && hdr->hdr.author == author && members.has(author));
    expect(complete == (at[7] == 0));
    if (complete) {
      all.push_back({slot, {author, hdr->hdr.round, hdr->hdr.id, {}}});
    } else {
      expect(all.back().slot == slot && all.back().what.author == author);
      all.back().what.second = hdr->hdr.id;
    }
    complete = !complete;
    return true;
  });
  expect(complete);
  return all;
}

restored recover(storage::kv& store, const dag_limits& limits, const committee& members) {
  restored x;
  if (const auto row = store.get(table::meta, key_of_progress())) {
    expect(row->size() == 16);
    x.at = {round_number{storage::number_at<std::uint64_t>(span_of(*row), 0)},
            round_number{storage::number_at<std::uint64_t>(span_of(*row), 8)}};
  }
  if (const auto row = store.get(table::meta, key_of_bar())) {
    expect(row->size() == 8);
    x.barred = round_number{storage::number_at<std::uint64_t>(span_of(*row), 0)};
  }
  store.scan(table::votes, key::of(x.at.floor + 1), key::end(), [&](byte_span at, byte_span row) {
    expect(at.size() == 10);
    const dag_position where{round_number{storage::number_at<std::uint64_t>(at, 0)},
                             validator_id{storage::number_at<std::uint16_t>(at, 8)}};
    const auto cast = stored_vote(where, {}, row);
    expect(cast.has_value());
    x.votes.push_back({where, cast->header});
    return true;
  });
#if FLAMINGO_MUTANT_restart_forgets_votes
  x.votes.clear();
#endif
  const auto own = key::of(at_own);
  store.scan(table::headers, own, own.prefix_end(), [&](byte_span at, byte_span row) {
    const signed_frame frame{shared_bytes(std::vector<char>(row.begin(), row.end()))};
    auto hdr = decode(frame, limits);
    expect(hdr.has_value() && at.size() == 9 &&
           storage::number_at<std::uint64_t>(at, 1) == hdr->hdr.round.value);
    x.own.push_back({std::move(*hdr), false});
    return true;
  });
  for (auto& header : x.own)
    header.output = store.get(table::headers, key::of(at_output, header.x.hdr.round)).has_value();
  x.evidence = stored_evidence(store, limits, members);
  return x;
}

/// The signed header beside a stored vote.
shared_bytes voted_header(storage::kv& store, dag_position where) {
  const auto row = store.get(table::votes, key::of(where.round, where.author));
  if (!row || row->size() < vote_head_size) return {};
  return shared_bytes(std::vector<char>(row->begin() + vote_head_size, row->end()));
}

storage::write_batch writes_of(pointer self, const effects& x, const std::vector<vote>& votes) {
  storage::write_batch writes;
  for (const auto& own : x.store_own)
    writes.put(table::headers, key::of(at_own, own.hdr.round), encode(own.bytes).bytes());
  for (std::size_t i = 0; i < votes.size(); ++i)
    writes.put(table::votes, key::of(votes[i].round, votes[i].author),
               storage::value_parts{vote_head(votes[i]), encode(x.votes[i].x.bytes).bytes()});
  for (const auto& caught : x.caught) {
    const auto first = caught.first_bytes ? encode(*caught.first_bytes).bytes()
                                          : voted_header(*self->state.env->store, caught.where);
    const auto put = [&](std::uint8_t which, const shared_bytes& frame) {
      writes.put(table::headers, key::of(at_evidence, caught.where.author, caught.slot, which),
                 frame);
    };
    put(0, first);
    put(1, encode(caught.second).bytes());
  }
  for (const auto round : x.output)
    writes.put(table::headers, key::of(at_output, round), std::vector<char>{1});
  if (!x.store_progress) return writes;
  const auto& at = *x.store_progress;
  writes.put(table::meta, key_of_progress(), byte_span(key::of(at.floor, at.anchor)));
  writes.erase_range(table::votes, key::of(round_number{}), key::of(at.floor + 1));
  // The newest own header stays: no other may ever be made for its round.
  const auto kept = std::min(at.floor + 1, self->state.logic->round());
  writes.erase_range(table::headers, key::of(at_own, round_number{}), key::of(at_own, kept));
  writes.erase_range(table::headers, key::of(at_output, round_number{}), key::of(at_output, kept));
  return writes;
}

// -- sends -----------------------------------------------------------------------------------

void send_to(pointer self, validator_id peer, const peer_frame& frame) {
  if (const auto it = self->state.links.find(peer); it != self->state.links.end())
    self->send(it->second, atom::transmit_v, link_priority::consensus, frame);
}

vote vote_for(const runtime::environment& env, const header& x) {
  const auto statement =
      crypto::vote_statement(crypto::context_of(*env.members), x.id, x.author, x.round);
  return {x.id, x.author, x.round, env.self, env.signer->sign(statement)};
}

void send_votes(pointer self, const std::vector<vote>& votes) {
  for (const auto& x : votes) send_to(self, x.author, encode_peer(x));
}

void send_stored_vote(pointer self, dag_position where) {
  const auto& env = *self->state.env;
  const auto row = env.store->get(table::votes, key::of(where.round, where.author));
  if (!row) return;  // the floor has passed it
  if (const auto x = stored_vote(where, env.self, span_of(*row)))
    send_to(self, where.author, encode_peer(*x));
}

void ask_workers(pointer self, const std::vector<asked_batch>& batches) {
  std::map<std::pair<worker_id, std::optional<validator_id>>, availability_question> questions;
  for (const auto& x : batches) {
    auto& question = questions[{x.worker, x.author}];
    question.author = x.author;
    question.batches.push_back(x.id);
  }
  for (const auto& [to, question] : questions)
    if (const auto it = self->state.workers.find(to.first); it != self->state.workers.end())
      self->send(it->second, encode(question));
}

void answer_worker(pointer self, const noted_to& x) {
  if (const auto it = self->state.workers.find(x.worker); it != self->state.workers.end())
    self->send(it->second, encode(x.what));
}

void send(pointer self, const effects& x, const std::vector<vote>& votes) {
  auto& s = self->state;
  for (const auto& bytes : x.hand_over)
    if (s.aggregator) self->send(s.aggregator, encode(bytes));
  for (const auto& bytes : x.broadcast) {
    const auto frame = encode_peer(bytes);
    for (const auto& [peer, link] : s.links)
      self->send(link, atom::transmit_v, link_priority::consensus, frame);
  }
  send_votes(self, votes);
  for (const auto& own : x.own_votes)
    if (s.aggregator) self->send(s.aggregator, s.env->self, encode_peer(vote_for(*s.env, own.hdr)));
  for (const auto where : x.repeat) send_stored_vote(self, where);
  for (const auto& [peer, bytes] : x.headers) send_to(self, peer, encode_peer(bytes));
  ask_workers(self, x.ask);
  if (x.noted) answer_worker(self, *x.noted);
}

// -- steps -----------------------------------------------------------------------------------

void count(pointer self, const effects& x) {
  auto& s = self->state;
  auto& c = *s.counted;
  for (const auto why : x.rejected) c.rejected.count(why);
  for (const auto& caught : x.caught) c.equivocations[caught.where.author.value]->Increment();
  c.votes.Increment(static_cast<double>(x.votes.size()));
  c.repeated_votes.Increment(static_cast<double>(x.repeat.size()));
  c.dropped_records.Increment(x.dropped_records);
  c.round.Set(static_cast<double>(s.logic->round().value));
  c.deferred.Set(static_cast<double>(s.logic->deferred()));
  c.waiting_batches.Set(static_cast<double>(s.logic->waiting_batches()));
  if (x.store_own.empty()) return;
  c.proposed.Increment();
  const auto now = s.env->now();
  if (s.last_proposed)
    c.round_seconds.Observe(std::chrono::duration<double>(now - *s.last_proposed).count());
  s.last_proposed = now;
}

void perform(pointer self, effects x) {
  auto& s = self->state;
  std::vector<vote> votes;
  for (const auto& ballot : x.votes) votes.push_back(vote_for(*s.env, ballot.x.hdr));
  count(self, x);
#if FLAMINGO_MUTANT_vote_before_durable
  send_votes(self, votes);
#endif
#if FLAMINGO_MUTANT_header_before_durable
  for (const auto& bytes : x.broadcast)
    for (const auto& [peer, link] : s.links) send_to(self, peer, encode_peer(bytes));
#endif
  auto writes = writes_of(self, x, votes);
  s.out->perform(std::move(writes),
                 [self, x = std::move(x), votes = std::move(votes)] { send(self, x, votes); });
}

/// Gives the header that the core asked for its coin share, its identity and its signature.
signed_header sign(const runtime::environment& env, header x) {
  if (carries_coin_share(x.round)) x.coin_share = env.coin->share(coin_wave(x.round));
  signed_bytes bytes{encode_header(x), {}};
  x.id = header_id(bytes.body);
  bytes.sig = env.signer->sign(crypto::header_statement(crypto::context_of(*env.members), x.id));
  return {std::move(x), std::move(bytes)};
}

void run(pointer self, input in) {
  auto& s = self->state;
  const auto now = s.env->now();
  effects x = s.logic->step(now, std::move(in));
  auto to_sign = std::exchange(x.propose, std::nullopt);
  perform(self, std::move(x));
  if (to_sign) return run(self, header_signed{sign(*s.env, std::move(*to_sign))});
  if (const auto wait = s.timer.arm(now, s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

void count(pointer self, reject why) {
  self->state.counted->rejected.count(why);
}

dag_limits limits_of(pointer self) {
  const auto& env = *self->state.env;
  return dag::limits_of(*env.members, env.protocol);
}

void receive(pointer self, const peer_frame& frame) {
  auto& s = self->state;
  const auto& env = *s.env;
  auto message = decode(frame, limits_of(self));
  auto* hdr = message ? std::get_if<signed_header>(&*message) : nullptr;
  if (hdr == nullptr) return count(self, reject::malformed);
  const auto worth = s.logic->screen(hdr->hdr);
  if (worth.what == screening::outcome::refuse) return count(self, worth.why);
  if (worth.what == screening::outcome::ignore) return run(self, header_repeated{hdr->hdr});
  auto checked = crypto::check_header(*env.scheme, *env.members, std::move(*hdr));
  if (!checked) return count(self, reject::bad_signature);
  const header& x = (*checked)->hdr;
  const bool coin_valid = !carries_coin_share(x.round) ||
                          env.coin->verify_share(x.author, coin_wave(x.round), x.coin_share);
  run(self, header_received{std::move(*checked), coin_valid});
}

/// Decodes what another role of this validator said, and steps with `f` of it.
template <class Decoded, class F>
void run_with(pointer self, std::optional<Decoded> x, F&& f) {
  if (x)
    run(self, f(std::move(*x)));
  else
    count(self, reject::malformed);
}

void start(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = env;
  s.counted.emplace(*env->metrics, *env->members);
  s.out.emplace(
      *env->store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<primary_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env](const std::string& what) { env->fail(ec::store_failed, what); });
  std::vector<digest> genesis;
  for (std::uint16_t i = 0; i < env->members->size(); ++i)
    genesis.push_back(genesis_header(env->members->chain, validator_id{i}));
  s.logic.emplace(env->self, *env->members, env->protocol, env->local, genesis,
                  recover(*env->store, limits_of(self), *env->members));
}

}  // namespace

void install(storage::write_batch& into, const progress& at) {
  into.put(table::meta, key_of_progress(), byte_span(key::of(at.floor, at.anchor)));
}

void install_bar(storage::write_batch& into, round_number round) {
  into.put(table::meta, key_of_bar(), byte_span(key::of(round)));
}

counters::counters(runtime::metrics& into, const committee& members)
    : rejected(into, "primary"),
      proposed(into.counter("flamingo_primary_headers_proposed_total", "Own headers proposed")),
      votes(into.counter("flamingo_primary_votes_total", "Votes for other validators' headers")),
      repeated_votes(into.counter("flamingo_primary_votes_repeated_total",
                                  "Stored votes that were sent again")),
      dropped_records(into.counter("flamingo_primary_control_records_dropped_total",
                                   "Control records that were offered twice or beyond the bound")),
      round(into.gauge("flamingo_primary_round", "Round of the newest own header")),
      deferred(into.gauge("flamingo_primary_headers_deferred",
                          "Headers that wait for what they refer to before they are voted for")),
      waiting_batches(into.gauge("flamingo_primary_batches_waiting",
                                 "Own available batches that no header carries yet")),
      round_seconds(into.histogram(
          "flamingo_primary_round_seconds", "Time between two own headers",
          {0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5})) {
  for (const auto& member : members.validators)
    equivocations.push_back(&into.counter("flamingo_primary_equivocations_total",
                                          "Rounds for which an author signed two headers",
                                          {{"author", member.name}}));
}

primary_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  try {
    start(self, env);
  } catch (const storage::error& error) {
    env->fail(ec::store_failed, error.what());
    self->quit();
    return primary_actor::behavior_type::make_empty_behavior();
  }
  return {
      [self](atom::meet, const header_sink& x) { self->state.aggregator = x; },
      [self](atom::meet, worker_id id, const availability_source& x) {
        self->state.workers[id] = x;
        run(self, worker_met{id});
      },
      [self](atom::start) { run(self, started{}); },
      [self](atom::link_up, validator_id peer, const peer_link& link) {
        self->state.links[peer] = link;
        run(self, link_restored{peer});
      },
      [self](atom::link_down, validator_id peer, const peer_link& link) {
        // A newer link may have come up before this one's end was noticed.
        const auto it = self->state.links.find(peer);
        if (it != self->state.links.end() && it->second == link) self->state.links.erase(it);
      },
      [self](validator_id, const peer_frame& x) {
        self->state.counted->rejected.judge(x, [&] { receive(self, x); });
      },
      [self](const certified_frame& x) {
        run_with(self, decode(x, limits_of(self)), [](certified_header y) {
          return header_certified{std::move(y.hdr), std::move(y.bytes)};
        });
      },
      [self](const available_frame& x) {
        run_with(self, decode(x), [](batch_available y) { return batch_announced{std::move(y)}; });
      },
      [self](const withdrawal_frame& x) {
        run_with(self, decode(x),
                 [](batch_withdrawal y) { return batches_withdrawn{std::move(y)}; });
      },
      [self](const committed_frame& x) {
        run_with(self, decode(x), [](commit_notice y) { return committed{std::move(y)}; });
      },
      [self](const control_frame& x) {
        run_with(self, decode(x), [](control_record y) { return record_offered{std::move(y)}; });
      },
      [self](atom::status) { return encode(self->state.logic->held_evidence()); },
      [self](atom::durable, std::uint64_t ticket) { self->state.out->durable(ticket); },
      [self](atom::tick) {
        self->state.timer.fired(self->state.env->now());
        run(self, ticked{});
      }};
}

}  // namespace flamingo::primary
