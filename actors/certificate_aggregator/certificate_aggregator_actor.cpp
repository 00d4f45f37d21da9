#include "actors/certificate_aggregator/certificate_aggregator_actor.hpp"

#include <caf/all.hpp>

#include "actors/dag/limits.hpp"
#include "actors/runtime/neighbours.hpp"
#include "crypto/dag_checks.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_validator.hpp"

namespace flamingo::certificate_aggregator {

namespace {

using pointer = aggregator_actor::stateful_pointer<state>;
using dag::screening;
using storage::key;
using storage::table;

// -- the store -------------------------------------------------------------------------------
// certificates: (round, author) -> the header's digest, then the certified header as a frame.
// meta: the floor.

key key_of_floor() {
  static constexpr std::string_view name = "certificate_aggregator/floor";
  return key(byte_span(reinterpret_cast<const byte*>(name.data()), name.size()));
}

storage::value_parts row_of(const certified_header& x, const certified_frame& frame) {
  std::vector<char> id(x.hdr.id.bytes.begin(), x.hdr.id.bytes.end());
  return {shared_bytes(std::move(id)), frame.bytes()};
}

/// The frame of a stored row. The digest before it keeps it aligned, once the row is copied.
certified_frame frame_of(std::vector<char> row) {
  const shared_bytes whole(std::move(row));
  const byte_span bytes = whole;
  return certified_frame(shared_bytes(whole, bytes.subspan(digest::size)));
}

dag_position position_of(byte_span at) {
  return {round_number{storage::number_at<std::uint64_t>(at, 0)},
          validator_id{storage::number_at<std::uint16_t>(at, 8)}};
}

/// Throws storage::error if `good` does not hold.
void expect(bool good) {
  if (!good)
    throw storage::error(
        "table certificates of the store is damaged: restore the validator's data directory, or "
        "let it join anew");
}

restored recover(storage::kv& store, validator_id self, const dag_limits& limits) {
  restored x;
  if (const auto row = store.get(table::meta, key_of_floor())) {
    const byte_span bytes(reinterpret_cast<const byte*>(row->data()), row->size());
    expect(row->size() == 8);
    x.floor = round_number{storage::number_at<std::uint64_t>(bytes, 0)};
  }
  store.scan(table::certificates, key(), key::end(), [&](byte_span at, byte_span row) {
    expect(at.size() == 10 && row.size() > digest::size);
    const auto where = position_of(at);
    if (where.round <= x.floor) {
      digest id;
      std::copy_n(row.begin(), digest::size, id.bytes.begin());
      x.history.emplace_back(where, id);
      return true;
    }
    auto certified = decode(frame_of({row.begin(), row.end()}), limits);
    expect(certified && certified->hdr.position() == where);
    if (where.author == self) x.own_certificates.push_back(std::move(certified->cert));
    x.complete.push_back(std::move(certified->hdr));
    return true;
  });
  return x;
}

storage::write_batch writes_of(const effects& x, const std::vector<certified_frame>& frames) {
  storage::write_batch writes;
  for (std::size_t i = 0; i < frames.size(); ++i) {
#if FLAMINGO_MUTANT_parent_is_not_stored
    continue;
#endif
    writes.put(table::certificates, key::of(x.complete[i].hdr.round, x.complete[i].hdr.author),
               row_of(x.complete[i], frames[i]));
  }
  if (x.store_floor) writes.put(table::meta, key_of_floor(), byte_span(key::of(*x.store_floor)));
  if (x.forget)
    writes.erase_range(table::certificates, key::of(round_number{}), key::of(*x.forget));
  return writes;
}

// -- sends -----------------------------------------------------------------------------------

void send_to(pointer self, validator_id peer, link_priority priority, const peer_frame& frame) {
  if (const auto it = self->state.links.find(peer); it != self->state.links.end())
    self->send(it->second, atom::transmit_v, priority, frame);
}

void give(pointer self, const certified_frame& frame) {
  for (const auto& sink : self->state.sinks) self->send(sink, frame);
}

/// Gives out all that is stored above `floor`, which is in causal order by rounds.
void give_stored(pointer self, round_number floor) {
  self->state.env->store->scan(table::certificates, key::of(floor + 1), key::end(),
                               [&](byte_span, byte_span row) {
                                 give(self, frame_of({row.begin(), row.end()}));
                                 return true;
                               });
}

void serve(pointer self, validator_id peer, std::vector<char> row) {
  if (const auto frame = encode_peer(frame_of(std::move(row)))) {
    send_to(self, peer, link_priority::sync, *frame);
    self->state.counted->served.Increment();
  }
}

void serve_from_store(pointer self, const effects& x) {
  auto& store = *self->state.env->store;
  for (const auto& [peer, where] : x.serve)
    if (auto row = store.get(table::certificates, key::of(where.round, where.author)))
      serve(self, peer, std::move(*row));
  for (const auto& [peer, range] : x.serve_ranges)
    store.scan(table::certificates, key::of(range.first), key::of(range.last + 1),
               [&, to = peer](byte_span, byte_span row) {
                 serve(self, to, {row.begin(), row.end()});
                 return true;
               });
}

void send(pointer self, const effects& x, const std::vector<certified_frame>& complete) {
  auto& s = self->state;
  for (const auto& cert : x.announce) {
    const auto frame = encode_peer(cert);
    for (const auto& [peer, link] : s.links)
      self->send(link, atom::transmit_v, link_priority::consensus, frame);
  }
  for (const auto& frame : complete) give(self, frame);
  if (x.give_stored) give_stored(self, *x.give_stored);
  for (const auto& [peer, cert] : x.certificates)
    send_to(self, peer, link_priority::consensus, encode_peer(cert));
  for (const auto& [peer, bytes] : x.headers)
    send_to(self, peer, link_priority::consensus, encode_peer(bytes));
  for (const auto& [peer, request] : x.requests)
    send_to(self, peer, link_priority::consensus, encode_peer(request));
  for (const auto& [peer, range] : x.range_requests)
    send_to(self, peer, link_priority::consensus, encode_peer(range));
  for (const auto& [peer, gone] : x.gone)
    send_to(self, peer, link_priority::sync, encode_peer(gone));
  serve_from_store(self, x);
}

// -- steps -----------------------------------------------------------------------------------

void count(pointer self, reject why) {
  self->state.counted->rejected.count(why);
}

void count(pointer self, const effects& x) {
  auto& s = self->state;
  auto& c = *s.counted;
  for (const auto why : x.rejected) c.rejected.count(why);
  c.certified.Increment(static_cast<double>(x.announce.size()));
  c.complete.Increment(static_cast<double>(x.complete.size()));
  c.headers_resent.Increment(static_cast<double>(x.headers.size()));
  for (const auto& request : x.requests)
    c.requested.Increment(static_cast<double>(request.what.headers.size()));
  c.ranges_requested.Increment(static_cast<double>(x.range_requests.size()));
  c.round.Set(static_cast<double>(s.logic->round().value));
  c.highest_seen.Set(static_cast<double>(s.logic->highest_seen().value));
  c.incomplete.Set(static_cast<double>(s.logic->waiting()));
  c.missing.Set(static_cast<double>(s.logic->fetching()));
}

void run(pointer self, input in) {
  auto& s = self->state;
  const auto now = s.env->now();
  effects x = s.logic->step(now, std::move(in));
  count(self, x);
  std::vector<certified_frame> complete;
  for (const auto& certified : x.complete) complete.push_back(encode(certified));
  auto writes = writes_of(x, complete);
  const bool left_behind = x.left_behind;
  s.out->perform(std::move(writes), [self, x = std::move(x), complete = std::move(complete)] {
    try {
      send(self, x, complete);
    } catch (const storage::error& error) {
      self->state.env->fail(ec::store_failed, error.what());
      self->quit();
    }
  });
  if (left_behind) s.env->rejoin();
  if (const auto wait = s.timer.arm(now, s.logic->next_deadline()))
    self->delayed_send(self, *wait, atom::tick_v);
}

dag_limits limits_of(pointer self) {
  const auto& env = *self->state.env;
  return dag::limits_of(*env.members, env.protocol);
}

/// Screens an unchecked message, checks its signatures if it is worth it, and steps.
template <class Screen, class Check>
void run_checked(pointer self, Screen&& screen, Check&& check) {
  const screening worth = screen(*self->state.logic);
  if (worth.what == screening::outcome::refuse) return count(self, worth.why);
  if (worth.what == screening::outcome::ignore) return;
  if (std::optional<input> in = check(*self->state.env))
    run(self, std::move(*in));
  else
    count(self, reject::bad_signature);
}

struct receiver {
  pointer self;
  validator_id from;

  void operator()(signed_header&) const { count(self, reject::malformed); }  // the primary's
  void operator()(const vote& x) const {
    run_checked(
        self, [&](const core& logic) { return logic.screen(x); },
        [&](const auto& env) -> std::optional<input> {
          auto checked = crypto::check_vote(*env.scheme, *env.members, x);
          if (!checked) return std::nullopt;
          return vote_received{std::move(*checked)};
        });
  }
  void operator()(certificate& x) const {
    run_checked(
        self, [&](const core& logic) { return logic.screen(x); },
        [&](const auto& env) -> std::optional<input> {
          auto checked = crypto::check_certificate(*env.scheme, *env.members, std::move(x),
                                                   votes_needed(*env.members));
          if (!checked) return std::nullopt;
          return certificate_received{std::move(*checked)};
        });
  }
  void operator()(certified_header& x) const {
    run_checked(
        self, [&](const core& logic) { return logic.screen(from, x); },
        [&](const auto& env) -> std::optional<input> {
          // The certificate came before: a digest is all that has to match.
          if (self->state.logic->waits_for(x.hdr))
            return header_known{{std::move(x.hdr), std::move(x.bytes)}};
          auto checked = crypto::check_certified(*env.scheme, *env.members, std::move(x),
                                                 votes_needed(*env.members));
          if (!checked) return std::nullopt;
          return certified_received{from, std::move(*checked)};
        });
  }
  void operator()(header_request& x) const { run(self, headers_requested{from, std::move(x)}); }
  void operator()(const round_range& x) const { run(self, range_requested{from, x}); }
  void operator()(const range_gone& x) const { run(self, range_missing{from, x}); }
};

void start(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = env;
  s.counted.emplace(*env->metrics);
  s.out.emplace(
      *env->store,
      [weak = caf::actor_cast<caf::weak_actor_ptr>(self)](std::uint64_t ticket) {
        if (auto strong = caf::actor_cast<aggregator_actor>(weak.lock()))
          caf::anon_send(strong, atom::durable_v, ticket);
      },
      [env](const std::string& what) { env->fail(ec::store_failed, what); });
  s.logic.emplace(env->self, *env->members, env->protocol, env->local,
                  recover(*env->store, env->self, limits_of(self)));
}

}  // namespace

void install(storage::write_batch& into, round_number floor) {
  into.put(table::meta, key_of_floor(), byte_span(key::of(floor)));
  into.erase_range(table::certificates, key::of(round_number{}), key::of(floor + 1));
}

counters::counters(runtime::metrics& into)
    : rejected(into, "certificate_aggregator"),
      certified(into.counter("flamingo_certificate_aggregator_certified_total",
                             "Own headers that got a quorum of votes")),
      complete(into.counter("flamingo_certificate_aggregator_complete_total",
                            "Certified headers, of all authors, that became complete")),
      requested(into.counter("flamingo_certificate_aggregator_headers_requested_total",
                             "Certified headers that peers were asked for")),
      ranges_requested(into.counter("flamingo_certificate_aggregator_ranges_requested_total",
                                    "Ranges of rounds that peers were asked for")),
      served(into.counter("flamingo_certificate_aggregator_headers_served_total",
                          "Certified headers that peers asked for and got")),
      headers_resent(into.counter("flamingo_certificate_aggregator_headers_resent_total",
                                  "Own uncertified headers sent again to who had not voted")),
      round(into.gauge("flamingo_certificate_aggregator_round",
                       "Highest round with a quorum of complete certificates")),
      highest_seen(into.gauge("flamingo_certificate_aggregator_round_seen",
                              "Highest round of which a certificate was seen")),
      incomplete(into.gauge("flamingo_certificate_aggregator_incomplete",
                            "Certificates that wait for their header or its ancestors")),
      missing(into.gauge("flamingo_certificate_aggregator_missing",
                         "Certified headers that are being fetched")) {}

aggregator_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  try {
    start(self, env);
  } catch (const storage::error& error) {
    env->fail(ec::store_failed, error.what());
    self->quit();
    return aggregator_actor::behavior_type::make_empty_behavior();
  }
  return {[self](atom::meet, const certified_sink& x) { runtime::meet(self->state.sinks, x); },
          [self](atom::start) { run(self, started{}); },
          [self](atom::link_up, validator_id peer, const peer_link& link) {
            self->state.links[peer] = link;
            run(self, link_restored{peer});
          },
          [self](atom::link_down, validator_id peer, const peer_link& link) {
            // A newer link may have come up before this one's end was noticed.
            const auto it = self->state.links.find(peer);
            if (it == self->state.links.end() || it->second != link) return;
            self->state.links.erase(it);
            run(self, link_lost{peer});
          },
          [self](validator_id from, const peer_frame& x) {
            self->state.counted->rejected.judge(x, [&] {
              if (auto message = decode(x, limits_of(self)))
                std::visit(receiver{self, from}, *message);
              else
                count(self, reject::malformed);
            });
          },
          [self](const signed_frame& x) {
            if (auto hdr = decode(x, limits_of(self)))
              run(self, header_known{std::move(*hdr)});
            else
              count(self, reject::malformed);
          },
          [self](const committed_frame& x) {
            if (const auto notice = decode(x))
              run(self, floor_raised{notice->floor, notice->index});
            else
              count(self, reject::malformed);
          },
          [self](atom::durable, std::uint64_t ticket) { self->state.out->durable(ticket); },
          [self](atom::tick) {
            self->state.timer.fired(self->state.env->now());
            run(self, ticked{});
          }};
}

}  // namespace flamingo::certificate_aggregator
