#include "actors/primary/primary.hpp"

namespace flamingo::primary {

core::core(validator_id self, const committee& members, const protocol_parameters& protocol,
           const local_parameters& local, const std::vector<digest>& genesis,
           const restored& stored)
    : self_(self),
      dag_(members.size(), members.quorum()),
      voter_(self, members, protocol, local, genesis, stored.votes, stored.evidence, stored.barred),
      proposer_(self, members, protocol, local, genesis, stored.at.anchor, stored.own,
                stored.barred) {
  dag_.raise_floor(stored.at.floor);
}

effects core::step(time_point now, input in) {
  now_ = now;
  effects out;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  out.propose = proposer_.propose(now, dag_);
  return out;
}

void core::on(const started&, effects& out) {
  proposer_.start(now_);
  // Never another header for a round that has one: the stored ones collect votes again.
  for (auto& own : proposer_.uncertified(dag_)) {
    out.hand_over.push_back(own.bytes);
    out.own_votes.push_back(std::move(own));
  }
}

void core::on(header_received in, effects& out) {
  const signed_header& x = *in.x;
#if FLAMINGO_MUTANT_vote_by_clock
  if (x.hdr.created_at > now_ + std::chrono::seconds(5)) return;
#endif
  // Also a header that cannot be voted for here may be certified by others.
  if (voter_.screen(x.hdr, dag_) == dag::screening::check()) out.hand_over.push_back(x.bytes);
  voter::outcome decided;
  voter_.receive(x, in.coin_valid, dag_, decided);
  take(std::move(decided), out);
}

void core::on(const header_repeated& in, effects& out) {
  voter::outcome decided;
  voter_.receive_again(in.x, decided);
  take(std::move(decided), out);
}

void core::on(header_signed in, effects& out) {
  proposer_.proposed(in.x);
  out.hand_over.push_back(in.x.bytes);
  out.broadcast.push_back(in.x.bytes);
  out.own_votes.push_back(in.x);
  out.store_own.push_back(std::move(in.x));
}

void core::on(const header_certified& in, effects& out) {
  if (!dag_.add(in.x)) return;
  auto& payload = payload_[in.x.id];
  for (const auto& entry : in.x.payload) payload.push_back(entry.batch);
  voter::outcome decided;
  voter_.certified(in.x, in.bytes, dag_, decided);
  take(std::move(decided), out);
  proposer_.grown(now_, dag_);
}

void core::on(batch_announced in, effects& out) {
  batch_available& x = in.x;
  if (x.author == self_) {
    const bool fits = proposer_.available(
        {{x.id, x.worker, x.transactions, x.counts_digest, std::move(x.counts)}, x.wait});
    if (!fits) out.rejected.push_back(reject::oversize);
    return;
  }
  voter::outcome decided;
  voter_.available({x.id, x.author, x.worker, x.transactions, x.counts_digest}, dag_, decided);
  take(std::move(decided), out);
}

void core::on(const batches_withdrawn& in, effects& out) {
  out.noted = noted_to{in.x.worker, voter_.withdraw(in.x, dag_)};
}

void core::on(const record_offered& in, effects& out) {
  if (!proposer_.offer(in.x)) ++out.dropped_records;
}

void core::on(const committed& in, effects& out) {
  for (const auto& id : in.x.output)
    if (const auto it = payload_.find(id); it != payload_.end()) {
      for (const auto& batch : it->second) voter_.consumed(batch);
      payload_.erase(it);
    }
  const bool raised = in.x.floor > dag_.floor();
  if (raised)
    for (const auto& id : dag_.ids_up_to(in.x.floor)) payload_.erase(id);
  dag_.raise_floor(in.x.floor);
  auto own = proposer_.committed(in.x.anchor_round, in.x.output, in.x.dead_payload, dag_);
  out.output = std::move(own.output);
  out.ask = std::move(own.ask);
  out.store_progress = progress{dag_.floor(), in.x.anchor_round};
  if (!raised) return;
  voter::outcome decided;
  voter_.floor_raised(dag_, decided);
  take(std::move(decided), out);
}

void core::on(const link_restored& in, effects& out) {
#if FLAMINGO_MUTANT_header_sent_once
  return;
#endif
  for (auto& own : proposer_.uncertified(dag_))
    out.headers.push_back({in.peer, std::move(own.bytes)});
}

void core::on(const worker_met& in, effects& out) {
  voter::outcome decided;
  voter_.worker_met(in.worker, decided);
  take(std::move(decided), out);
}

void core::take(voter::outcome decided, effects& out) {
  const auto append = [](auto& into, auto& from) {
    into.insert(into.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
  };
  append(out.votes, decided.votes);
  append(out.repeat, decided.repeat);
  append(out.caught, decided.caught);
  append(out.ask, decided.ask);
  append(out.rejected, decided.rejected);
}

}  // namespace flamingo::primary
