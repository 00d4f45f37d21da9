#include "actors/primary/voter.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace flamingo::primary {

using dag::screening;

voter::voter(validator_id self, const committee& members, const protocol_parameters& protocol,
             const local_parameters& local, std::vector<digest> genesis,
             const std::vector<cast_vote>& cast, const std::vector<kept_evidence>& stored,
             round_number barred)
    : self_(self),
      members_(members),
      protocol_(protocol),
      local_(local),
      genesis_(std::move(genesis)),
      barred_(barred),
      batch_order_(members.size()),
      pending_of_(members.size()),
      caught_(members.size()),
      book_(members.size(), local.max_evidence, stored) {
  for (const auto& x : cast) voted_.emplace(x.where, x.header);
  for (const auto& x : stored) caught_[x.what.author.value].insert(x.what.round);
}

/// The round that is worked on here: one above the last that is full.
round_number voter::current(const dag::graph& dag) const {
  return std::max(dag.quorum_round(), dag.floor()) + 1;
}

/// The header that was voted for, or waits to be.
const digest* voter::known(dag_position where) const {
  if (const auto it = pending_.find(where); it != pending_.end()) return &it->second.x.hdr.id;
  if (const auto it = voted_.find(where); it != voted_.end()) return &it->second;
  return nullptr;
}

screening voter::screen(const header& x, const dag::graph& dag) const {
  if (!members_.has(x.author)) return screening::refuse(reject::unknown_validator);
  if (x.author == self_) return screening::refuse(reject::wrong_author);
  if (x.epoch != members_.epoch) return screening::refuse(reject::wrong_epoch);
#if !FLAMINGO_MUTANT_votes_below_the_floor
  if (x.round <= dag.floor()) return screening::refuse(reject::round_too_low);
#endif
  if (x.round > current(dag) + protocol_.round_limit + protocol_.gc_depth)
    return screening::refuse(reject::round_too_high);
  const digest* first = known(x.position());
  if (first != nullptr && *first == x.id) return screening::ignore();
  if (first != nullptr && caught_[x.author.value].contains(x.round))
    return screening::refuse(reject::equivocation);
  if (const auto why = malformed(x)) return screening::refuse(*why);
  return screening::check();
}

std::optional<reject> voter::malformed(const header& x) const {
  if (const auto why = bad_links(x)) return why;
  return bad_content(x);
}

std::optional<reject> voter::bad_links(const header& x) const {
  if (x.parents.size() < members_.quorum()) return reject::too_few_parents;
  if (x.parents.size() > members_.size()) return reject::malformed;
  std::set<digest> parents(x.parents.begin(), x.parents.end());
  if (parents.size() < x.parents.size()) return reject::duplicate_parent;
  if (x.weak_links.size() > members_.size()) return reject::bad_weak_links;
  for (std::size_t i = 0; i < x.weak_links.size(); ++i) {
    const auto& where = x.weak_links[i].position;
    if (where.round < round_number{1} || where.round + 2 > x.round || !members_.has(where.author) ||
        (i > 0 && where <= x.weak_links[i - 1].position))
      return reject::bad_weak_links;
  }
  return std::nullopt;
}

std::optional<reject> voter::bad_content(const header& x) const {
  if (x.payload.size() > protocol_.max_payload_entries) return reject::bad_payload;
#if FLAMINGO_MUTANT_local_bound_decides
  if (x.payload.size() > local_.header_payload_target) return reject::bad_payload;
#endif
  std::set<digest> batches;
  for (const auto& entry : x.payload)
    if (entry.worker.value >= protocol_.workers || !batches.insert(entry.batch).second)
      return reject::bad_payload;
  if (x.coin_share.empty() == carries_coin_share(x.round)) return reject::bad_coin_share;
  for (auto it = x.control.begin(); it != x.control.end(); ++it)
    if (std::find(x.control.begin(), it, *it) != it) return reject::bad_control_record;
  return std::nullopt;
}

// -- one header -------------------------------------------------------------------------------

void voter::receive(signed_header x, bool coin_valid, const dag::graph& dag, outcome& out) {
  const auto of_header = screen(x.hdr, dag);
  if (of_header.what == screening::outcome::ignore) return receive_again(x.hdr, out);
  if (of_header.what == screening::outcome::refuse) return out.rejected.push_back(of_header.why);
  const auto where = x.hdr.position();
#if FLAMINGO_MUTANT_votes_for_two_headers
  if (known(where) != nullptr) return out.votes.push_back({std::move(x)});
#endif
  if (known(where) != nullptr) {
    out.rejected.push_back(reject::equivocation);
#if FLAMINGO_MUTANT_evidence_is_lost
    return;
#endif
    return keep_evidence(x.hdr, x.bytes, out);
  }
  if (!coin_valid) return out.rejected.push_back(reject::bad_coin_share);
  if (x.hdr.round <= barred_) return out.rejected.push_back(reject::barred);
  decide(candidate(std::move(x)), dag, out);
}

void voter::receive_again(const header& x, outcome& out) {
#if FLAMINGO_MUTANT_vote_sent_once
  return;
#endif
  const auto it = voted_.find(x.position());
  if (it != voted_.end() && it->second == x.id) return out.repeat.push_back(x.position());
  const auto waits = pending_.find(x.position());
  if (waits == pending_.end() || waits->second.x.hdr.id != x.id) return;
  // The first time its batches may well be on their way still.
  const unsigned repeats = ++waits->second.repeats;
  if (repeats > 1 && std::has_single_bit(repeats)) ask(waits->second, std::nullopt, out, true);
}

void voter::keep_evidence(const header& second, const signed_bytes& bytes, outcome& out) {
  if (!caught_[second.author.value].insert(second.round).second) return;
  evidence x{second.position(), 0, {}, std::nullopt, bytes};
  if (const auto it = pending_.find(x.where); it != pending_.end()) {
    x.first = it->second.x.hdr.id;
    x.first_bytes = it->second.x.bytes;
  } else {
    x.first = voted_.at(x.where);
  }
  x.slot = book_.add({second.author, second.round, x.first, second.id});
  out.caught.push_back(std::move(x));
}

void voter::decide(candidate x, const dag::graph& dag, outcome& out) {
  const auto where = x.x.hdr.position();
  const verdict v = judge(x, dag);
  switch (v.what) {
    case verdict::kind::vote:
      // One digest for each (author, round), for ever.
      voted_.emplace(where, x.x.hdr.id);
      out.votes.push_back({std::move(x.x)});
      return;
    case verdict::kind::refuse:
      return out.rejected.push_back(v.why);
    case verdict::kind::wait_for_round:
      if (defer(std::move(x), out)) too_high_.insert(where);
      return;
    case verdict::kind::wait:
      defer(std::move(x), out);
      return;
  }
}

voter::verdict voter::judge(candidate& x, const dag::graph& dag) const {
  x.link.reset();
  x.missing.clear();
  if (x.x.hdr.round > current(dag) + protocol_.round_limit) return {verdict::kind::wait_for_round};
  if (const auto v = judge_links(x, dag); v.what != verdict::kind::vote) return v;
  return judge_payload(x);
}

voter::verdict voter::judge_links(candidate& of, const dag::graph& dag) const {
  const header& x = of.x.hdr;
  if (x.round == round_number{1})
    for (const auto& parent : x.parents)
      if (std::find(genesis_.begin(), genesis_.end(), parent) == genesis_.end())
        return {verdict::kind::refuse, reject::wrong_parent_round};
  // Distinct certified headers of one round have distinct authors.
  std::optional<reject> wrong;
  dag::for_each_link(x.round, x.parents, x.weak_links, dag.floor(), [&](const dag::link& to) {
    const auto where = dag.find(to.id);
    if (!where && !of.link) of.link = to.id;
    if (where && !to.leads_to(*where) && !wrong)
      wrong = to.is_parent() ? reject::wrong_parent_round : reject::bad_weak_links;
  });
  if (wrong) return {verdict::kind::refuse, *wrong};
#if FLAMINGO_MUTANT_vote_without_ancestors
  of.link.reset();
#endif
  return {of.link ? verdict::kind::wait : verdict::kind::vote};
}

/// What was compared once need not be known any more: a header may have more batches than facts are
/// kept of its author.
voter::verdict voter::judge_payload(candidate& of) const {
  for (const auto& entry : of.x.hdr.payload) {
    if (of.stored.contains(entry.batch)) continue;
    const auto it = batches_.find(entry.batch);
    if (it == batches_.end()) {
      of.missing.insert(entry.batch);
      continue;
    }
    const batch_facts& facts = it->second;
    if (facts.author != of.x.hdr.author || facts.worker != entry.worker ||
        facts.transactions != entry.transactions || facts.counts_digest != entry.counts_digest)
      return {verdict::kind::refuse, reject::bad_payload};
    of.stored.insert(entry.batch);
  }
#if FLAMINGO_MUTANT_vote_without_batches
  of.missing.clear();
#endif
  return {of.missing.empty() ? verdict::kind::vote : verdict::kind::wait};
}

// -- what waits -------------------------------------------------------------------------------

bool voter::defer(candidate x, outcome& out) {
  const auto where = x.x.hdr.position();
  auto& count = pending_of_[where.author.value];
  // Each author has its share, so that one cannot take the others' places.
  const auto most = std::max<std::size_t>(1, local_.max_pending_headers / members_.size());
  if (count >= most) {
    // Lower rounds are sooner of use: the author's highest one makes place.
    const auto last = std::find_if(pending_.rbegin(), pending_.rend(), [&](const auto& entry) {
      return entry.first.author == where.author;
    });
    out.rejected.push_back(reject::too_many_pending);
    if (last->first <= where) return false;
    take(last->first);
  }
  ++count;
  if (x.link) waiting_for_[*x.link].push_back(where);
  for (const auto& id : x.missing) waiting_for_[id].push_back(where);
  // What the worker stored long ago, or said too long ago, it says again only if it is asked. What
  // it does not store yet it will tell of.
  if (!x.missing.empty() && !std::exchange(x.asked, true)) ask(x, std::nullopt, out);
  pending_.emplace(where, std::move(x));
  return true;
}

voter::candidate voter::take(dag_position where) {
  auto node = pending_.extract(where);
  FLAMINGO_ASSERT(!node.empty());
  candidate& x = node.mapped();
  --pending_of_[where.author.value];
  too_high_.erase(where);
  const auto waits_no_more = [&](const digest& id) {
    const auto list = waiting_for_.find(id);
    std::erase(list->second, where);
    if (list->second.empty()) waiting_for_.erase(list);
  };
  if (x.link) waits_no_more(*x.link);
  for (const auto& id : x.missing) waits_no_more(id);
  return std::move(x);
}

void voter::ask(const candidate& x, std::optional<worker_id> of, outcome& out, bool late) const {
  const auto author = late ? std::optional(x.x.hdr.author) : std::nullopt;
  for (const auto& entry : x.x.hdr.payload)
    if ((!of || entry.worker == *of) && x.missing.contains(entry.batch))
      out.ask.push_back({entry.worker, entry.batch, author});
}

void voter::worker_met(worker_id worker, outcome& out) const {
  for (const auto& [where, x] : pending_) ask(x, worker, out);
}

void voter::reconsider(const digest& arrived, const dag::graph& dag, outcome& out) {
  const auto it = waiting_for_.find(arrived);
  if (it == waiting_for_.end()) return;
  for (const auto where : std::vector(it->second)) decide(take(where), dag, out);
}

void voter::certified(const header& x, const signed_bytes& bytes, const dag::graph& dag,
                      outcome& out) {
  if (const auto* first = known(x.position()); first != nullptr && *first != x.id)
    keep_evidence(x, bytes, out);
  reconsider(x.id, dag, out);
  const auto last = current(dag) + protocol_.round_limit;
  while (!too_high_.empty() && too_high_.begin()->round <= last)
    decide(take(*too_high_.begin()), dag, out);
}

void voter::available(const batch_facts& facts, const dag::graph& dag, outcome& out) {
  if (!members_.has(facts.author)) return;
  if (!batches_.emplace(facts.id, facts).second) return;
  auto& order = batch_order_[facts.author.value];
  order.push_back(facts.id);
  // The oldest makes place.
  if (order.size() > local_.max_available_batches) {
    batches_.erase(order.front());
    order.pop_front();
  }
  reconsider(facts.id, dag, out);
}

void voter::consumed(const digest& batch) {
  const auto it = batches_.find(batch);
  if (it == batches_.end()) return;
  // Batches are committed about in the order in which they came: the search is short.
  auto& order = batch_order_[it->second.author.value];
  order.erase(std::find(order.begin(), order.end(), batch));
  batches_.erase(it);
}

withdrawal_noted voter::withdraw(const batch_withdrawal& x, const dag::graph& dag) {
  withdrawal_noted out{x.number, dag.floor(), {}};
  if (!voted_.empty()) out.until = std::max(out.until, voted_.rbegin()->first.round);
  for (const digest& id : x.batches) {
    const bool wanted = std::any_of(pending_.begin(), pending_.end(), [&](const auto& of) {
      return of.second.stored.contains(id) || of.second.missing.contains(id);
    });
    if (wanted)
      out.kept.push_back(id);
    else
      consumed(id);
  }
  return out;
}

void voter::floor_raised(const dag::graph& dag, outcome& out) {
  const dag_position first_kept{dag.floor() + 1, validator_id{}};
  voted_.erase(voted_.begin(), voted_.lower_bound(first_kept));
  for (auto& rounds : caught_) rounds.erase(rounds.begin(), rounds.upper_bound(dag.floor()));
  std::vector<dag_position> all;
  for (const auto& [where, x] : pending_) all.push_back(where);
  for (const auto where : all) {
    auto x = take(where);
    if (where.round > dag.floor()) decide(std::move(x), dag, out);
  }
}

}  // namespace flamingo::primary
