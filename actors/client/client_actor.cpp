#include "actors/client/client_actor.hpp"

#include <caf/all.hpp>

#include "crypto/hash.hpp"
#include "crypto/verify.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"

namespace flamingo::client {

namespace {

using pointer = client_actor::stateful_pointer<state>;

// Receipts are the largest thing that a client gets.
constexpr std::size_t body_max = 16 << 20;

void run(pointer self, input in);

void build(pointer self, const build_order& order) {
  const auto& env = *self->state.env;
  auto bundle = build_bundle(
      {env.self, order.sequence, order.assignee, order.expires, env.with.transaction_bytes},
      *order.transactions);
  const digest id = crypto::hash(crypto::tags::bundle, bundle.body());
  const auto frame =
      bundle.finish(env.signer->sign(crypto::bundle_statement(env.members->chain, id)));
  run(self, bundle_built{order.sequence, id, frame.bytes()});
}

void send(pointer self, validator_id to, const client_frame& frame, link_priority priority) {
  const auto found = self->state.links.find(to);
  if (found != self->state.links.end())
    self->send(found->second, atom::transmit_v, priority, frame);
}

/// The code of a bundle of one transaction: validators but the carrier give the digest only, and
/// there are few codes.
std::optional<result_code> guess(const digest& results_digest) {
  for (unsigned code = 0; code < result_codes_max; ++code) {
    const byte one = static_cast<byte>(code);
    if (crypto::hash(crypto::tags::results, {&one, 1}) == results_digest)
      return static_cast<result_code>(code);
  }
  return std::nullopt;
}

void finish(pointer self) {
  auto& s = self->state;
  if (!s.env->finished) return;
  ending out{s.logic->counts(s.env->now()), false, {}, std::nullopt, s.logic->refusal()};
  if (const auto& single = s.logic->single()) {
    out.committed = true;
    out.index = single->index;
    out.code = single->code ? single->code : guess(single->results_digest);
  }
  s.env->finished(out);
}

void run(pointer self, input in) {
  auto& s = self->state;
  effects fx = s.logic->step(s.env->now(), std::move(in));
  for (const auto& order : fx.builds) build(self, order);
  for (const auto& x : fx.bundles) send(self, x.to, client_frame(x.frame), link_priority::batches);
  for (const auto& [to, query] : fx.queries)
    send(self, to, flamingo::encode(client_message{query}), link_priority::consensus);
  if (fx.finished) finish(self);
}

void step(pointer self, input in) {
  auto& s = self->state;
  run(self, std::move(in));
  if (const auto wait = s.ticks.arm(s.env->now(), s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

/// Receipts are checked only if they would tell something: of n validators' equal ones, f+1.
void on_receipts(pointer self, const signed_bytes& parts) {
  auto& s = self->state;
  const auto& env = *s.env;
  auto said = decode_receipts(parts.body);
  if (!said || !env.members->has(said->validator)) return step(self, receipts_forged{});
  const auto needed = [&](const receipt& x) { return s.logic->needs(said->validator, x); };
  if (std::none_of(said->list.begin(), said->list.end(), needed)) return;
  bool honest = true;
  for (receipt& x : said->list)
    if (!x.results.empty() && crypto::hash(crypto::tags::results, x.results) != x.results_digest) {
      x.results.clear();
      honest = false;
    }
  const public_key key = env.members->validators[said->validator.value].key;
  const crypto::signing_context context{env.members->chain, env.members->epoch};
  auto checked = crypto::verify(
      std::move(*said), *env.scheme, key,
      crypto::receipts_statement(context, crypto::hash(crypto::tags::receipts, parts.body)),
      parts.sig);
  if (!checked || !honest) run(self, receipts_forged{});
  if (checked) step(self, receipts_checked{std::move(*checked)});
}

void on_frame(pointer self, validator_id from, const client_frame& frame) {
  auto message = flamingo::decode(frame, body_max);
  if (!message) return;  // nobody's word; the link is the validator's own
  struct visitor {
    pointer self;
    validator_id from;
    void operator()(const signed_receipts& x) { on_receipts(self, x.parts); }
    void operator()(const admission_answer& x) { step(self, answered{from, x}); }
    void operator()(const welcome& x) { step(self, welcomed{from, x}); }
    void operator()(assignment_update& x) { step(self, table_told{from, std::move(x)}); }
    void operator()(const signed_bundle&) {}  // what only a client says
    void operator()(const receipt_query&) {}
  };
  std::visit(visitor{self, from}, *message);
}

}  // namespace

client_actor::behavior_type shell(pointer self, environment_ptr env) {
  auto& s = self->state;
  s.env = std::move(env);
  s.logic.emplace(parameters{s.env->self, s.env->members, s.env->protocol, s.env->with});
  return {
      [self](atom::start) { step(self, time_passed{}); },
      [self](atom::link_up, validator_id v, const client_link& link) {
        self->state.links[v] = link;
        step(self, link_up{v});
      },
      [self](atom::link_down, validator_id v, const client_link& link) {
        const auto found = self->state.links.find(v);
        if (found == self->state.links.end() || found->second != link) return;
        self->state.links.erase(found);
        step(self, link_down{v});
      },
      [self](validator_id v, const client_frame& x) { on_frame(self, v, x); },
      [self](atom::close) { step(self, load_stopped{}); },
      [self](atom::status) { return encode(self->state.logic->counts(self->state.env->now())); },
      [self](atom::tick) {
        self->state.ticks.fired(self->state.env->now());
        step(self, time_passed{});
      }};
}

}  // namespace flamingo::client
