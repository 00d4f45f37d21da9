#include "actors/primary/proposer.hpp"

#include <algorithm>

namespace flamingo::primary {

proposer::proposer(validator_id self, const committee& members, const protocol_parameters& protocol,
                   const local_parameters& local, std::vector<digest> genesis, round_number anchor,
                   const std::vector<stored_header>& stored, round_number barred)
    : self_(self),
      members_(members),
      protocol_(protocol),
      local_(local),
      genesis_(std::move(genesis)),
      counts_bytes_max_(dag::room_for_counts(members, protocol)),
      anchor_(anchor),
      last_round_(barred),
      mean_round_(local.parent_grace * 10) {
  for (const auto& [x, output] : stored) {
    own_header own{x, {}, output};
    for (const auto& entry : x.hdr.payload) {
      own.payload.push_back(entry.batch);
      if (!output) batches_.try_emplace(entry.batch, batch{entry, true});
    }
    if (!output)
      for (const auto& record : x.hdr.control) offer(record);
#if !FLAMINGO_MUTANT_restart_signs_anew
    last_round_ = std::max(last_round_, x.hdr.round);
#endif
    last_created_at_ = std::max(last_created_at_, x.hdr.created_at);
    own_.emplace(x.hdr.round, std::move(own));
  }
}

void proposer::start(time_point now) {
  started_ = true;
  last_proposed_ = now;
}

// -- what the next header will carry ----------------------------------------------------------

bool proposer::available(own_batch x) {
  if (x.entry.counts.size() > counts_bytes_max_) return false;
  const auto id = x.entry.batch;
  if (!batches_.try_emplace(id, batch{std::move(x.entry)}).second) return true;
  if (died_.erase(id) > 0) {
    queue_.push_front(id);  // it has waited longest
    return true;
  }
  queue_.push_back(id);
  waited_ += x.waited;
  ++waits_;
  return true;
}

bool proposer::offer(const control_record& record) {
  if (std::find(control_.begin(), control_.end(), record) != control_.end()) return false;
  if (control_.size() >= protocol_.max_control_records) return false;
  control_.push_back(record);
  return true;
}

void proposer::grown(time_point now, const dag::graph& dag) {
  if (dag.quorum_round() > full_round_) {
    if (full_round_ > round_number{} && full_at_ > time_point{}) {
      const auto rounds = static_cast<std::int64_t>(dag.quorum_round().value - full_round_.value);
      mean_round_ = (7 * mean_round_ + (now - full_at_) / rounds) / 8;
    }
    full_round_ = dag.quorum_round();
    full_at_ = now;
  }
}

proposer::outcome proposer::committed(round_number anchor, const std::vector<digest>& output,
                                      const std::vector<digest>& dead_payload,
                                      const dag::graph& dag) {
  anchor_ = std::max(anchor_, anchor);
  outcome out;
  for (const auto& id : output)
    for (auto& [round, x] : own_)
      if (x.x.hdr.id == id && !x.output) {
        x.output = true;
        forget(x);
        out.output.push_back(round);
      }
  // An own header that is dead without having been output: what it carried is proposed again. The
  // committer knows of those that were certified, this role of the others, too.
  std::vector<digest> dead = dead_payload;
  const auto kept = own_.upper_bound(dag.floor());
  for (auto it = own_.begin(); it != kept; ++it)
    if (!it->second.output)
      dead.insert(dead.end(), it->second.payload.begin(), it->second.payload.end());
  own_.erase(own_.begin(), kept);
  // The last one first, as each goes to the front of the queue.
  for (auto it = dead.rbegin(); it != dead.rend(); ++it) died(*it, dag.floor(), out);
  // Of what the worker said nothing since, it never will.
  std::erase_if(died_, [&](const auto& x) { return x.second + protocol_.gc_depth < dag.floor(); });
  return out;
}

void proposer::forget(const own_header& x) {
  for (const auto& id : x.payload) {
    batches_.erase(id);
    died_.erase(id);
    std::erase(queue_, id);  // queued again already if the header counted as dead before
  }
  for (const auto& record : x.x.hdr.control) std::erase(control_, record);
}

/// It is to be proposed again, unless the log has output it by another header: a restarted worker
/// may have told of it anew. Then nobody may store it any more, and it would take with it, again
/// and again, what is proposed beside it. So the worker is asked, which knows.
void proposer::died(const digest& id, round_number floor, outcome& out) {
  const auto it = batches_.find(id);
  if (it == batches_.end() || !it->second.proposed) return;
#if !FLAMINGO_MUTANT_dead_batches_are_lost
  out.ask.push_back({it->second.entry.worker, id});
#endif
  died_[id] = floor;
  batches_.erase(it);
}

// -- when -------------------------------------------------------------------------------------

duration proposer::grace() const {
  return std::min<duration>(mean_round_ / 10, local_.parent_grace);
}

std::optional<time_point> proposer::due(const dag::graph& dag) const {
  const auto next = next_round(dag);
  if (!started_ || signing_ || next <= last_round_ || next <= dag.floor()) return std::nullopt;
  const bool all_parents = dag.quorum_round() == round_number{} ||
                           dag.authors(dag.quorum_round()).count() == members_.size();
  const auto for_parents = all_parents ? time_point{} : full_at_ + grace();
  auto for_payload = last_proposed_ + local_.max_header_delay;
  if (paced(next))
    for_payload = last_proposed_ + local_.paced_header_delay;
  else if (queue_.size() >= local_.header_payload_target)
    for_payload = time_point{};
  return std::max(for_parents, for_payload);
}

std::optional<header> proposer::propose(time_point now, const dag::graph& dag) {
  const auto when = due(dag);
  if (!when || *when > now) return std::nullopt;
  header x;
  x.author = self_;
  x.epoch = members_.epoch;
  x.round = next_round(dag);
  x.created_at = std::max(now, last_created_at_ + duration{1});
  if (waits_ > 0) x.queue_delay = waited_ / static_cast<std::int64_t>(waits_);
  waited_ = {};
  waits_ = 0;
  take_parents(x, dag);
  take_weak_links(x, dag);
  x.control = control_;
  if (!paced(x.round)) take_payload(x);
  signing_ = true;
  last_proposed_ = now;
  return x;
}

void proposer::proposed(const signed_header& own) {
  FLAMINGO_ASSERT(signing_ && own.hdr.round > last_round_);
  signing_ = false;
  last_round_ = own.hdr.round;
  last_created_at_ = own.hdr.created_at;
  own_header kept{own, {}, false};
  for (const auto& entry : own.hdr.payload) kept.payload.push_back(entry.batch);
  own_.emplace(own.hdr.round, std::move(kept));
}

// -- what -------------------------------------------------------------------------------------

void proposer::take_parents(header& into, const dag::graph& dag) const {
  if (into.round == round_number{1}) {
    into.parents = genesis_;
    return;
  }
  // All that are here: a prototype that takes the first quorum loses the others' payload.
  dag.authors(into.round - 1).for_each([&](validator_id author) {
    into.parents.push_back(dag.at({into.round - 1, author})->id);
  });
}

void proposer::take_weak_links(header& into, const dag::graph& dag) const {
  if (into.round.value < 3) return;
#if FLAMINGO_MUTANT_late_headers_are_not_linked
  return;
#endif
  dag::history linked(members_.size());
  std::vector<dag_position> parents;
  dag.authors(into.round - 1).for_each([&](validator_id author) {
    parents.push_back({into.round - 1, author});
  });
  linked.include(dag, parents);
  // Downwards: a link brings its own history, so that less is left to be linked.
  std::vector<dag_position> chosen;
  for (auto r = into.round - 2; r > dag.floor(); r = r - 1)
    dag.authors(r).for_each([&, r](validator_id author) {
      if (linked.contains({r, author})) return;
      chosen.push_back({r, author});
      linked.include(dag, {r, author});
    });
  std::sort(chosen.begin(), chosen.end());
  // The oldest are the next to die.
  if (chosen.size() > members_.size()) chosen.resize(members_.size());
  for (const auto where : chosen) into.weak_links.push_back({where, dag.at(where)->id});
}

/// In order. The head always fits a header that carries no other batch (see `available`), so that
/// nothing waits behind it for ever.
void proposer::take_payload(header& into) {
  const auto used = header_bytes_without_payload(members_.size(), into.control.size());
  std::size_t left =
      protocol_.max_header_bytes - std::min<std::size_t>(used, protocol_.max_header_bytes);
  while (!queue_.empty() && into.payload.size() < protocol_.max_payload_entries) {
    batch& next = batches_.at(queue_.front());
    const auto bytes = payload_entry_bytes + next.entry.counts.size();
    if (bytes > left) break;
    left -= bytes;
    next.proposed = true;
    into.payload.push_back(next.entry);
    queue_.pop_front();
  }
}

std::vector<signed_header> proposer::uncertified(const dag::graph& dag) const {
  std::vector<signed_header> all;
  for (const auto& [round, x] : own_)
    if (round > dag.floor() && !dag.contains({round, self_})) all.push_back(x.x);
  return all;
}

}  // namespace flamingo::primary
