#include "tests/unit/dag_world.hpp"

#include <algorithm>

namespace flamingo::testing {

void dag_world::start(unsigned i) {
  validator& x = nodes[i];
  x.up = true;
  x.complete.clear();
  x.log = dag::graph(members.size(), members.quorum());
  x.log.raise_floor(x.stored.floor);
  primary::restored p{x.stored.at, {}, {}};
  for (const auto& [where, id] : x.stored.votes) p.votes.push_back({where, id});
  for (const auto& [round, own] : x.stored.own) p.own.push_back(own);
  x.primary.emplace(v(i), members, protocol, local, genesis_, p);
  aggregator::restored a;
  a.floor = x.stored.floor;
  for (const auto& [where, certified] : x.stored.certified) {
    if (where.round <= a.floor) {
      a.history.emplace_back(where, certified.hdr.id);
      continue;
    }
    a.complete.push_back(certified.hdr);
    if (where.author == v(i)) a.own_certificates.push_back(certified.cert);
  }
  x.aggregator.emplace(v(i), members, protocol, local, a);
  to_aggregator(i, aggregator::started{});
  to_primary(i, primary::started{});
  for (unsigned peer = 0; peer < nodes.size(); ++peer) {
    if (peer == i || !nodes[peer].up) continue;
    for (const auto& [me, other] : {std::pair{i, peer}, std::pair{peer, i}}) {
      to_aggregator(me, aggregator::link_restored{v(other)});
      to_primary(me, primary::link_restored{v(other)});
    }
  }
}

void dag_world::crash(unsigned i) {
  validator& x = nodes[i];
  x.up = false;
  ++life_[i];
  x.primary.reset();
  x.aggregator.reset();
  x.primary_timer = {};
  x.aggregator_timer = {};
  for (unsigned peer = 0; peer < nodes.size(); ++peer)
    if (nodes[peer].up) to_aggregator(peer, aggregator::link_lost{v(i)});
}

void dag_world::run_for(duration d) {
  const auto end = now + d;
  while (!events_.empty() && events_.top().when <= end) {
    const event next = events_.top();
    events_.pop();
    now = std::max(now, next.when);
    next.what();
  }
  now = end;
}

round_number dag_world::slowest() const {
  auto lowest = round_number{~std::uint64_t{0}};
  for (const auto& x : nodes)
    if (x.up) lowest = std::min(lowest, x.primary->round());
  return lowest;
}

digest dag_world::batch(unsigned author, unsigned name, const std::vector<unsigned>& at) {
  batch_available x;
  x.id = crypto::hash(crypto::tags::batch, crypto::little_endian(name));
  x.author = v(author);
  x.transactions = name;
  x.counts_digest = crypto::hash(crypto::tags::counts, {});
  x.wait = std::chrono::milliseconds{2};
  for (unsigned i : at) {
    nodes[i].stored.batches.emplace(x.id, x);
    to_primary(i, primary::batch_announced{x});
  }
  return x.id;
}

void dag_world::post(letter x) {
  if (lost(x)) return;
  // A little jitter, so that arrivals interleave differently for each seed.
  const auto jitter = duration{static_cast<std::int64_t>(rng_() % 1'000'000)};
  const auto life = life_[x.to];
  schedule(now + delay + jitter, [this, life, x = std::move(x)] {
    if (nodes[x.to].up && life_[x.to] == life) deliver(x);
  });
}

void dag_world::deliver(const letter& x) {
  validator& to = nodes[x.to];
  using dag::screening;
  const auto worth = [&](const screening& s) {
    if (s.what == screening::outcome::refuse) ++to.rejected[s.why];
    return s.what == screening::outcome::check;
  };
  if (const auto* h = std::get_if<signed_header>(&x.what)) {
    const auto s = to.primary->screen(h->hdr);
    if (s == screening::ignore()) return to_primary(x.to, primary::header_repeated{h->hdr});
    if (worth(s))
      to_primary(x.to, primary::header_received{verified<signed_header>::after_check(*h), true});
  } else if (const auto* y = std::get_if<vote>(&x.what)) {
    if (worth(to.aggregator->screen(*y)))
      to_aggregator(x.to, aggregator::vote_received{verified<vote>::after_check(*y)});
  } else if (const auto* c = std::get_if<certificate>(&x.what)) {
    if (worth(to.aggregator->screen(*c)))
      to_aggregator(x.to, aggregator::certificate_received{verified<certificate>::after_check(*c)});
  } else if (const auto* b = std::get_if<certified_header>(&x.what)) {
    if (worth(to.aggregator->screen(v(x.from), *b)))
      to_aggregator(x.to, aggregator::certified_received{
                              v(x.from), verified<certified_header>::after_check(*b)});
  } else if (const auto* q = std::get_if<header_request>(&x.what)) {
    to_aggregator(x.to, aggregator::headers_requested{v(x.from), *q});
  } else if (const auto* range = std::get_if<round_range>(&x.what)) {
    to_aggregator(x.to, aggregator::range_requested{v(x.from), *range});
  }
}

void dag_world::to_primary(unsigned i, primary::input in) {
  ++nodes[i].steps;
  perform(i, nodes[i].primary->step(now, std::move(in)));
  arm(i);
}

void dag_world::to_aggregator(unsigned i, aggregator::input in) {
  ++nodes[i].steps;
  perform(i, nodes[i].aggregator->step(now, std::move(in)));
  arm(i);
}

void dag_world::arm(unsigned i) {
  validator& x = nodes[i];
  if (!x.up) return;
  const auto tick = [this, i](std::optional<time_point> deadline, runtime::timer& timer,
                              auto what) {
    const auto wait = timer.arm(now, deadline);
    if (!wait) return;
    schedule(now + *wait, [this, i, &timer, what, life = life_[i]] {
      if (life_[i] != life) return;
      timer.fired(now);
      what();
    });
  };
  tick(x.primary->next_deadline(), x.primary_timer,
       [this, i] { to_primary(i, primary::ticked{}); });
  tick(x.aggregator->next_deadline(), x.aggregator_timer,
       [this, i] { to_aggregator(i, aggregator::ticked{}); });
}

/// A header of ours was seen by others: there must never be another one of its round.
void dag_world::left(unsigned i, const signed_header& own) {
  auto& of_round = nodes[i].own_headers[own.hdr.round];
  of_round.insert(own.hdr.id);
  if (of_round.size() > 1)
    broken_promises.push_back("two headers of v" + std::to_string(i) + " in round " +
                              std::to_string(own.hdr.round.value));
}

void dag_world::perform(unsigned i, primary::effects x) {
  validator& me = nodes[i];
  const auto cast = [&](const header& h) { return vote{h.id, h.author, h.round, v(i), {}}; };
  for (const auto& own : x.store_own) me.stored.own[own.hdr.round] = {own, false};
  for (const auto& ballot : x.votes) me.stored.votes[ballot.x.hdr.position()] = ballot.x.hdr.id;
  for (const auto round : x.output) me.stored.own.at(round).output = true;
  if (x.store_progress) {
    me.stored.at = *x.store_progress;
    const auto first_kept = x.store_progress->floor + 1;
    me.stored.votes.erase(me.stored.votes.begin(), me.stored.votes.lower_bound({first_kept, v(0)}));
    me.stored.own.erase(me.stored.own.begin(),
                        me.stored.own.lower_bound(std::min(first_kept, me.primary->round())));
  }
  me.caught.insert(me.caught.end(), x.caught.begin(), x.caught.end());
  for (const auto why : x.rejected) ++me.rejected[why];
  for (const auto& bytes : x.hand_over) to_aggregator(i, aggregator::header_known{decoded(bytes)});
  for (const auto& bytes : x.broadcast) {
    const auto h = decoded(bytes);
    left(i, h);
    for (const auto& entry : h.hdr.payload) me.batches_proposed.insert(entry.batch);
    broadcast(i, h);
  }
  for (const auto& ballot : x.votes) {
    const auto where = ballot.x.hdr.position();
    if (me.voted.emplace(where, ballot.x.hdr.id).first->second != ballot.x.hdr.id)
      broken_promises.push_back("two votes of v" + std::to_string(i) + " in round " +
                                std::to_string(where.round.value));
    post({i, ballot.x.hdr.author.value, cast(ballot.x.hdr)});
  }
  for (const auto& own : x.own_votes)
    to_aggregator(i, aggregator::vote_received{verified<vote>::after_check(cast(own.hdr))});
  for (const auto where : x.repeat)
    if (const auto it = me.stored.votes.find(where); it != me.stored.votes.end())
      post({i, where.author.value, vote{it->second, where.author, where.round, v(i), {}}});
  for (const auto& [peer, bytes] : x.headers) {
    const auto h = decoded(bytes);
    left(i, h);
    post({i, peer.value, h});
  }
  for (const auto& asked : x.ask)
    schedule(now, [this, i, asked, life = life_[i]] {
      const auto& batches = nodes[i].stored.batches;
      if (const auto it = batches.find(asked.id); life_[i] == life && it != batches.end())
        to_primary(i, primary::batch_announced{it->second});
    });
  if (x.propose) to_primary(i, primary::header_signed{sign(std::move(*x.propose))});
}

void dag_world::perform(unsigned i, aggregator::effects x) {
  validator& me = nodes[i];
  for (const auto& c : x.complete) me.stored.certified.emplace(c.hdr.position(), c);
  if (x.store_floor) me.stored.floor = *x.store_floor;
  if (x.forget)
    me.stored.certified.erase(me.stored.certified.begin(),
                              me.stored.certified.lower_bound({*x.forget, v(0)}));
  for (const auto why : x.rejected) ++me.rejected[why];
  for (const auto& cert : x.announce) broadcast(i, cert);
  for (const auto& c : x.complete) give(i, c);
  if (x.give_stored) {
    const auto stored = me.stored.certified;
    for (auto it = stored.lower_bound({*x.give_stored + 1, v(0)}); it != stored.end(); ++it)
      give(i, it->second);
  }
  for (const auto& [peer, cert] : x.certificates) post({i, peer.value, cert});
  for (const auto& [peer, bytes] : x.headers) post({i, peer.value, decoded(bytes)});
  for (const auto& [peer, request] : x.requests) {
    me.requests += static_cast<unsigned>(request.headers.size());
    post({i, peer.value, request});
  }
  for (const auto& [peer, range] : x.range_requests) {
    ++me.ranges;
    post({i, peer.value, range});
  }
  for (const auto& [peer, where] : x.serve) {
    ++me.served;
    post({i, peer.value, me.stored.certified.at(where)});
  }
  for (const auto& [peer, range] : x.serve_ranges)
    for (const auto& [where, c] : me.stored.certified)
      if (range.first <= where.round && where.round <= range.last) {
        ++me.served;
        post({i, peer.value, c});
      }
}

void dag_world::give(unsigned i, const certified_header& x) {
  validator& me = nodes[i];
  me.complete.push_back(x.hdr.position());
  to_primary(i, primary::header_certified{x.hdr, x.bytes});
  me.log.add(x.hdr);
  commit(i);
}

/// Not Tusk: an anchor every fourth round, far enough below the top that everyone picks the same,
/// which is enough to move floors as commits do.
void dag_world::commit(unsigned i) {
  validator& me = nodes[i];
  while (me.log.quorum_round() >= me.anchor + 8) {
    me.anchor = me.anchor + 4;
    commit_notice notice;
    notice.index = me.index = me.index + 1;
    notice.anchor_round = me.anchor;
    notice.floor = me.anchor - protocol.gc_depth;
    for (auto r = me.anchor - 3; r <= me.anchor; ++r)
      me.log.authors(r).for_each([&](validator_id a) {
        notice.output.push_back(me.log.at({r, a})->id);
        if (a == v(i))
          for (const auto& entry : me.stored.certified.at({r, a}).hdr.payload)
            me.stored.batches.erase(entry.batch);
      });
    me.log.raise_floor(notice.floor);
    to_aggregator(i, aggregator::floor_raised{notice.floor, notice.index});
    to_primary(i, primary::committed{notice});
  }
}

}  // namespace flamingo::testing
