#include "actors/certificate_aggregator/certificate_aggregator.hpp"

#include <algorithm>

#include "messages/dag_limits.hpp"

namespace flamingo::certificate_aggregator {

using dag::screening;

namespace {

constexpr int max_back_offs = 16;  // a back-off never exceeds this many first ones

duration next_back_off(duration current, duration first) {
  return std::min(current * 2, first * max_back_offs);
}

/// Whom to ask for what a certified header links to: its author must have it, its signers had it.
/// They are asked in an order that depends on the object, so that nobody gets all questions.
std::vector<validator_id> sources_of(const certificate& x, const digest& object) {
  std::vector<validator_id> sources{x.author};
  for (std::size_t i = 0; i < x.votes.size(); ++i)
    sources.push_back(x.votes[(i + object.bytes[0]) % x.votes.size()].first);
  return sources;
}

}  // namespace

std::size_t votes_needed(const committee& members) {
#if FLAMINGO_MUTANT_f_plus_1_votes
  return members.validity();
#endif
  return members.quorum();
}

core::core(validator_id self, const committee& members, const protocol_parameters& protocol,
           const local_parameters& local, const restored& stored)
    : self_(self),
      members_(members),
      protocol_(protocol),
      local_(local),
      dag_(members.size(), members.quorum()),
      fetcher_(self, members.size(), local),
      ranges_(self, members.size(), local),
      up_(members.size()),
      gone_(members.size()),
      allowances_(members.size()),
      stall_back_off_(local.header_resend) {
  dag_.raise_floor(stored.floor);
  const auto remember = [&](dag_position where, const digest& id) {
    stored_.emplace(id, where);
    stored_rounds_[where.round].push_back(id);
  };
  for (const auto& [where, id] : stored.history) remember(where, id);
  for (const auto& x : stored.complete) {
    dag_.add(x);
    remember(x.position(), x.id);
  }
  for (const auto& x : stored.own_certificates) own_certificates_.emplace(x.round, x);
}

effects core::step(time_point now, input in) {
  now_ = now;
  effects out;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  if (dag_.quorum_round() != stall_round_) {
    stall_round_ = dag_.quorum_round();
    gone_ = dag::author_set(members_.size());
    stall_back_off_ = local_.header_resend;
    stalled_at_ = now_ + stall_back_off_;
  }
  fetch(out);
  resend(out);
  return out;
}

std::optional<time_point> core::next_deadline() const {
  std::optional<time_point> first = fetcher_.next_deadline();
  const auto consider = [&](std::optional<time_point> x) {
    if (x && (!first || *x < *first)) first = x;
  };
  consider(ranges_.next_deadline());
  for (const auto& [round, x] : own_) consider(x.resend);
  if (!own_certificates_.empty()) consider(stalled_at_);
  return first;
}

// -- what is worth a signature check ----------------------------------------------------------

screening core::screen(const vote& x) const {
  if (!members_.has(x.voter)) return screening::refuse(reject::unknown_validator);
  if (x.author != self_) return screening::refuse(reject::wrong_author);
  if (x.round <= dag_.floor()) return screening::ignore();
  const auto it = own_.find(x.round);
  if (it == own_.end()) {
    const auto certified = own_certificates_.find(x.round);
    return certified != own_certificates_.end() && certified->second.header == x.header
               ? screening::ignore()  // it came after a quorum of others
               : screening::refuse(reject::vote_for_unknown);
  }
  if (it->second.own.hdr.id != x.header) return screening::refuse(reject::vote_for_unknown);
  if (it->second.votes.contains(x.voter)) return screening::refuse(reject::duplicate_vote);
  return screening::check();
}

screening core::screen(const certificate& x) const {
  const auto alone = screen_alone(x);
  if (alone == screening::check() && !has_place(x.round))
    return screening::refuse(reject::too_many_pending);
  return alone;
}

/// The same, however many wait.
screening core::screen_alone(const certificate& x) const {
  if (!members_.has(x.author)) return screening::refuse(reject::unknown_validator);
  if (x.votes.size() < votes_needed(members_)) return screening::refuse(reject::too_few_votes);
  if (x.round <= dag_.floor() || dag_.contains(x.header) ||
      certificates_.contains({x.round, x.author}) || pending_.contains({x.round, x.author}))
    return screening::ignore();
  // Far ahead only the fact that the round exists is of use.
  if (x.round > horizon() && x.round <= ranges_.highest_seen()) return screening::ignore();
  return screening::check();
}

screening core::screen(validator_id from, const certified_header& x) const {
  if (x.hdr.epoch != members_.epoch) return screening::refuse(reject::wrong_epoch);
  const auto where = x.hdr.position();
  if (where.round <= dag_.floor() || dag_.contains(where) || pending_.contains(where))
    return screening::ignore();
  if (!fetcher_.wants(x.hdr.id) && !ranges_.expects(from, where.round))
    return screening::refuse(reject::not_requested);
  if (waits_for(x.hdr)) return screening::check();
  // What is complete at once does not wait; and it may be what the others wait for.
  return missing_of(x.hdr).empty() ? screen_alone(x.cert) : screen(x.cert);
}

bool core::waits_for(const header& x) const {
  const auto it = certificates_.find(x.position());
  return it != certificates_.end() && it->second.header == x.id;
}

// -- inputs -----------------------------------------------------------------------------------

void core::on(const started&, effects& out) {
  out.give_stored = dag_.floor();
  stalled_at_ = now_ + stall_back_off_;
}

void core::on(header_known in, effects& out) {
  const auto where = in.x.hdr.position();
  if (where.round <= dag_.floor() || where.round > horizon() || dag_.contains(where) ||
      pending_.contains(where))
    return;
  if (waits_for(in.x.hdr)) {
    certificate cert = std::move(certificates_.at(where));
    return accept({std::move(in.x.hdr), std::move(in.x.bytes), std::move(cert)}, out);
  }
  if (where.author == self_)
    collect(std::move(in.x));
  else
    keep(std::move(in.x));
}

void core::collect(signed_header own) {
  // The primary has just sent it to all: the first repetition waits.
  const auto round = own.hdr.round;
  own_.try_emplace(
      round, collecting{std::move(own), {}, now_ + local_.header_resend, local_.header_resend});
}

void core::keep(signed_header x) {
  const auto where = x.hdr.position();
  if (headers_.contains(where)) return;
  std::vector<dag_position> of_author;
  for (const auto& [at, other] : headers_)
    if (at.author == where.author) of_author.push_back(at);
  // The oldest makes place: if it is certified after all, it will be fetched.
  if (of_author.size() >= local_.max_headers_of_author)
    withdraw_hints(headers_.extract(of_author.front()).mapped().hdr);
  for (const auto& to : missing_of(x.hdr))
    if (!knows(to.id))
      fetcher_.hint(to.round, to.id, where, now_, local_.fetch_delay + local_.fetch_retry);
  headers_.emplace(where, std::move(x));
}

void core::withdraw_hints(const header& kept) {
  dag::for_each_link(
      kept.round, kept.parents, kept.weak_links, dag_.floor(),
      [&](const dag::link& to) { fetcher_.withdraw(to.round, to.id, kept.position()); });
}

void core::on(vote_received in, effects& out) {
  const vote& x = *in.x;
  const auto of_vote = screen(x);
  if (of_vote.what == screening::outcome::refuse) out.rejected.push_back(of_vote.why);
  if (of_vote.what != screening::outcome::check) return;
  const auto it = own_.find(x.round);
  it->second.votes.emplace(x.voter, x.sig);
  if (it->second.votes.size() < votes_needed(members_)) return;
  certificate cert{x.header, self_, x.round, {it->second.votes.begin(), it->second.votes.end()}};
  auto own = std::move(it->second.own);
  out.announce.push_back(cert);
  accept({std::move(own.hdr), std::move(own.bytes), std::move(cert)}, out);
}

void core::on(certificate_received in, effects& out) {
  const auto of_certificate = screen(*in.x);
  if (of_certificate.what == screening::outcome::refuse) out.rejected.push_back(of_certificate.why);
  if (of_certificate.what != screening::outcome::check) return;
  const certificate& x = *in.x;
  ranges_.seen(x);
  if (x.round > horizon()) return;
  const dag_position where{x.round, x.author};
  const signed_header* known = nullptr;
  if (const auto own = own_.find(x.round); x.author == self_ && own != own_.end())
    known = &own->second.own;
  if (const auto it = headers_.find(where); it != headers_.end()) known = &it->second;
  if (known != nullptr && known->hdr.id == x.header)
    return accept({known->hdr, known->bytes, x}, out);
  make_place(x.round, out);
  certificates_.emplace(where, x);
  certified_.insert(x.header);
  fetcher_.want(x.round, x.header, sources_of(x, x.header), now_, local_.fetch_delay);
}

void core::on(certified_received in, effects& out) {
  const auto of_header = screen(in.from, *in.x);
  if (of_header.what == screening::outcome::refuse) out.rejected.push_back(of_header.why);
  if (of_header.what != screening::outcome::check) return;
  ranges_.seen(in.x->cert);
  if (ranges_.expects(in.from, in.x->hdr.round)) ranges_.progress(now_);
  accept(*in.x, out);
}

void core::on(const floor_raised& in, effects& out) {
  if (in.floor <= dag_.floor()) return;
  dag_.raise_floor(in.floor);
  drop_below_floor();
  out.store_floor = in.floor;
  const auto oldest = oldest_to_keep(in);
  while (!stored_rounds_.empty() && stored_rounds_.begin()->first < oldest) {
    for (const auto& id : stored_rounds_.begin()->second) stored_.erase(id);
    stored_rounds_.erase(stored_rounds_.begin());
    out.forget = oldest;
  }
  reconsider_pending(out);
}

/// Whoever comes back from a checkpoint goes on from its floor: what others can still fetch a
/// snapshot of, the DAG is kept for, however little history is wanted.
round_number core::oldest_to_keep(const floor_raised& in) {
  constexpr std::size_t checkpoints = 3;  // the two snapshots that are kept, and one just replaced
  if (in.index.value % protocol_.checkpoint_anchors == 0) checkpoint_floors_.push_back(in.floor);
  if (checkpoint_floors_.size() > checkpoints) checkpoint_floors_.pop_front();
#if FLAMINGO_MUTANT_dag_deletion_leads
  return in.floor - local_.history_rounds;
#endif
  if (checkpoint_floors_.size() < checkpoints) return {};
  return std::min(in.floor - local_.history_rounds, checkpoint_floors_.front() + 1);
}

void core::drop_below_floor() {
  const auto floor = dag_.floor();
  const dag_position first_kept{floor + 1, validator_id{}};
  own_.erase(own_.begin(), own_.upper_bound(floor));
  own_certificates_.erase(own_certificates_.begin(), own_certificates_.upper_bound(floor));
  headers_.erase(headers_.begin(), headers_.lower_bound(first_kept));
  certificates_.erase(certificates_.begin(), certificates_.lower_bound(first_kept));
  fetcher_.raise_floor(floor);
}

void core::reconsider_pending(effects& out) {
  // What was missing may be dead now: then it is missing no more.
  auto all = std::exchange(pending_, {});
  waiting_for_.clear();
  certified_.clear();
  for (const auto& [where, x] : certificates_) certified_.insert(x.header);
  for (auto& [where, x] : all) accept(std::move(x.x), out);
}

// -- completeness -----------------------------------------------------------------------------

/// Also what is here in another place than the link says is missing, until the floor passes that
/// place: the voters' floors had, since they did not look, and so ours will.
std::vector<dag::link> core::missing_of(const header& x) const {
  std::vector<dag::link> missing;
#if FLAMINGO_MUTANT_links_below_the_floor_count
  dag::for_each_link(x.round, x.parents, x.weak_links, {}, [&](const dag::link& to) {
    if (!dag_.holds(to)) missing.push_back(to);
  });
  return missing;
#endif
  dag::for_each_link(x.round, x.parents, x.weak_links, dag_.floor(), [&](const dag::link& to) {
#if FLAMINGO_MUTANT_link_leads_anywhere
    if (dag_.contains(to.id)) return;
#endif
    if (!dag_.holds(to)) missing.push_back(to);
  });
  return missing;
}

void core::accept(certified_header x, effects& out) {
  const auto where = x.hdr.position();
  if (where.round <= dag_.floor() || dag_.contains(where) || pending_.contains(where)) return;
  fetcher_.arrived(x.hdr.id);
  const auto kept = headers_.extract(where);
  certificates_.erase(where);
  if (where.author == self_) {
    own_.erase(where.round);
    own_certificates_.emplace(where.round, x.cert);
    stalled_at_ = now_ + stall_back_off_;
  }
  const auto missing = missing_of(x.hdr);
  want(missing, x);
  if (!kept.empty()) withdraw_hints(kept.mapped().hdr);
#if FLAMINGO_MUTANT_incomplete_is_complete
  return complete(std::move(x), out);
#endif
  if (missing.empty()) return complete(std::move(x), out);
  make_place(where.round, out);
  certified_.insert(x.hdr.id);
  for (const auto& to : missing) waiting_for_[to.id].push_back({where, to});
  pending_.emplace(where, incomplete{std::move(x), missing.size()});
}

round_number core::newest_waiting() const {
  const auto last = [](const auto& all) {
    return all.empty() ? round_number{} : all.rbegin()->first.round;
  };
  return std::max(last(pending_), last(certificates_));
}

/// Beyond the bound older rounds take the places of newer ones: it is they that the newer ones wait
/// for, if only through others that are not here yet.
bool core::has_place(round_number round) const {
  return waiting() < local_.max_pending_certificates || round < newest_waiting();
}

void core::make_place(round_number round, effects& out) {
  while (waiting() >= local_.max_pending_certificates && round < newest_waiting()) {
    let_newest_go();
    out.rejected.push_back(reject::too_many_pending);
  }
}

/// Nothing waits for it, since links lead to older rounds. It will be fetched like what never came.
void core::let_newest_go() {
  if (!certificates_.empty() && certificates_.rbegin()->first.round == newest_waiting()) {
    const auto gone = certificates_.extract(std::prev(certificates_.end()));
    certified_.erase(gone.mapped().header);
    fetcher_.arrived(gone.mapped().header);
    return;
  }
  const auto gone = pending_.extract(std::prev(pending_.end()));
  const header& x = gone.mapped().x.hdr;
  certified_.erase(x.id);
  for (const auto& to : missing_of(x)) {
    const auto waiters = waiting_for_.find(to.id);
    if (waiters == waiting_for_.end()) continue;
    std::erase_if(waiters->second, [&](const waiter& y) { return y.who == gone.key(); });
    if (waiters->second.empty()) waiting_for_.erase(waiters);
  }
}

void core::want(const std::vector<dag::link>& missing, const certified_header& of) {
  for (const auto& to : missing) {
    if (knows(to.id)) continue;
    // Something may be on its way if it is of the newest rounds.
    const auto delay = to.round < frontier() ? duration{} : duration{local_.fetch_delay};
    fetcher_.want(to.round, to.id, sources_of(of.cert, to.id), now_, delay);
  }
}

void core::complete(certified_header x, effects& out) {
  std::vector<certified_header> ready;
  ready.push_back(std::move(x));
  while (!ready.empty()) {
    certified_header next = std::move(ready.back());
    ready.pop_back();
    const bool is_new = dag_.add(next.hdr);
    FLAMINGO_ASSERT(is_new);
    certified_.erase(next.hdr.id);
    stored_.emplace(next.hdr.id, next.hdr.position());
    stored_rounds_[next.hdr.round].push_back(next.hdr.id);
    if (const auto waiters = waiting_for_.find(next.hdr.id); waiters != waiting_for_.end()) {
      for (const auto& [who, to] : waiters->second) {
        if (!to.leads_to(next.hdr.position())) continue;  // only the floor will help
        const auto it = pending_.find(who);
        if (it == pending_.end() || --it->second.missing > 0) continue;
        ready.push_back(std::move(it->second.x));
        pending_.erase(it);
      }
      waiting_for_.erase(waiters);
    }
    out.complete.push_back(std::move(next));
  }
}

// -- fetching and serving ---------------------------------------------------------------------

void core::fetch(effects& out) {
  if (auto range = ranges_.ask(now_, frontier(), up_)) out.range_requests.push_back(*range);
  for (auto& request : fetcher_.ask(now_, last_to_fetch(), up_))
    out.requests.push_back(std::move(request));
}

bool core::may_serve(validator_id peer, std::uint64_t headers) {
  // Refilled continuously; at most one second's worth is saved up.
  allowance& a = allowances_[peer.value];
  const std::uint64_t rate = local_.served_per_second;
  headers = std::min(headers, rate);
  const auto passed = std::min<duration>(now_ - a.refilled, std::chrono::seconds{1});
  const auto earned = static_cast<std::uint64_t>(passed.count()) * rate / 1'000'000'000;
  if (earned > 0) {
    a.headers = std::min(a.headers + earned, rate);
    a.refilled = now_;
  }
  if (a.headers < headers) return false;
  a.headers -= headers;
  return true;
}

void core::on(const headers_requested& in, effects& out) {
  if (!members_.has(in.from)) return out.rejected.push_back(reject::unknown_validator);
  if (!may_serve(in.from, in.what.headers.size()))
    return out.rejected.push_back(reject::too_many_requests);
  for (const auto& id : in.what.headers)
    if (const auto it = stored_.find(id); it != stored_.end())
      out.serve.push_back({in.from, it->second});
}

void core::on(const range_requested& in, effects& out) {
  if (!members_.has(in.from)) return out.rejected.push_back(reject::unknown_validator);
  round_range what = in.what;
  what.last = std::min(what.last, what.first + (max_requested_rounds - 1));
  if (!may_serve(in.from, (what.last.value - what.first.value + 1) * members_.size()))
    return out.rejected.push_back(reject::too_many_requests);
  if (what.first < first_kept()) return out.gone.push_back({in.from, {first_kept()}});
  out.serve_ranges.push_back({in.from, what});
}

void core::on(const range_missing& in, effects& out) {
  if (!members_.has(in.from) || !ranges_.gone(in.from, in.what.first_kept, now_))
    return out.rejected.push_back(reject::not_requested);
  gone_.add(in.from);
  out.left_behind = gone_.count() >= members_.validity();
}

void core::on(const link_restored& in, effects& out) {
  if (!members_.has(in.peer) || in.peer == self_) return;
  up_.add(in.peer);
  fetcher_.source_up();
  for (const auto& [round, cert] : own_certificates_) out.certificates.push_back({in.peer, cert});
}

void core::on(const link_lost& in, effects&) {
  up_.remove(in.peer);
}

void core::on(const ticked&, effects&) {}

void core::resend(effects& out) {
  const auto to_others = [&](auto&& f) {
    for (std::uint16_t i = 0; i < members_.size(); ++i)
      if (validator_id{i} != self_) f(validator_id{i});
  };
  for (auto& [round, x] : own_) {
    if (x.resend > now_) continue;
#if FLAMINGO_MUTANT_header_sent_once
    x.resend = time_point::max();
    continue;
#endif
    to_others([&, own = &x](validator_id peer) {
      if (!own->votes.contains(peer)) out.headers.push_back({peer, own->own.bytes});
    });
    x.back_off = next_back_off(x.back_off, local_.header_resend);
    x.resend = now_ + x.back_off;
  }
  // No round for a while: a certificate of ours may have been lost on its way, and nobody else can
  // know of it.
  if (stalled_at_ > now_ || own_certificates_.empty()) return;
  to_others([&](validator_id peer) {
    out.certificates.push_back({peer, own_certificates_.rbegin()->second});
  });
  stall_back_off_ = next_back_off(stall_back_off_, local_.header_resend);
  stalled_at_ = now_ + stall_back_off_;
}

}  // namespace flamingo::certificate_aggregator
