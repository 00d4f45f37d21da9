// What validators say: welcomes, admission answers, table updates, receipts. One validator's word
// is a hint; what f+1 of them say, an honest one says.
#include <algorithm>
#include <utility>

#include "actors/client/client.hpp"

namespace flamingo::client {

namespace {

constexpr std::chrono::milliseconds busy_wait_min{50}, busy_wait_max{2000};
constexpr std::uint32_t busy_doublings_max = 5;
constexpr std::uint64_t leap_doublings_max = 9;  // far less than the window

template <class T>
bool holds(const std::vector<T>& list, const T& x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

}  // namespace

void core::on(link_up x, effects& out) {
  if (!with_.members->has(x.validator)) return;
  up_.insert(x.validator);
  heard(x.validator);
  // The link may have lost what was sent over the one before.
  for (auto& [sequence, b] : outstanding_)
    if (b.target == x.validator && b.first_sent && !b.frame.empty() &&
        !b.votes.prove_commit(with_.members->validity()))
      send(sequence, b, b.target, out);
}

void core::on(link_down x, effects&) {
  up_.erase(x.validator);
}

void core::on(welcomed x, effects&) {
  if (!with_.members->has(x.from) || x.what.validator != x.from) return;
  welcomes_[x.from] = x.what;
  note_round(x.from, x.what.anchor_round);
}

/// The highest round that f+1 validators reached tells when new bundles expire.
void core::note_round(validator_id from, round_number round) {
  rounds_[from] = std::max(rounds_[from], round);
  std::vector<round_number> all;
  for (const auto& [who, x] : rounds_) all.push_back(x);
  std::sort(all.rbegin(), all.rend());
  if (all.size() >= with_.members->validity())
    anchor_round_ = std::max(anchor_round_, all[with_.members->validity() - 1]);
}

void core::on(table_told x, effects& out) {
  if (!with_.members->has(x.from)) return;
  auto& newest = told_[x.from];
  if (x.what.version <= newest.version) return;
  newest = x.what;
  std::size_t equal = 0;
  for (const auto& [from, update] : told_) equal += update == x.what ? 1 : 0;
  if (equal < with_.members->validity()) return;
  for (const auto& move : x.what.moves) {
    if (!with_.members->has(move.assignee)) continue;
    moved_account& at = moved_[move.account];
    if (at.version < x.what.version) at = {x.what.version, move.assignee};
  }
  reroute(out);
}

/// What is in no sealed bundle yet goes where its account is now.
void core::reroute(effects& out) {
  const auto before = std::exchange(open_, {});
  for (const auto& [assignee, open] : before)
    for (const auto& x : open) {
      const validator_id now = assignee_of(x.account);
      open_[now].push_back(x);
      if (open_[now].size() >= with_.with.transactions_per_bundle) close(now, out);
    }
}

// -- admission

void core::on(answered x, effects& out) {
  heard(x.from);
  const auto found = outstanding_.find(x.what.sequence);
  if (found == outstanding_.end() || !with_.members->has(x.from)) return;
  std::visit([&](const auto& what) { on(what, x.from, found->first, found->second, out); },
             x.what.what);
}

void core::on(const admission::admitted&, validator_id, bundle_sequence, bundle& x, effects&) {
  if (!std::exchange(x.admitted, true)) counts_.admitted += x.size();
}

void core::on(const admission::redirect& what, validator_id from, bundle_sequence sequence,
              bundle& x, effects& out) {
  // Once for each validator that says so: two liars cannot make us run in circles.
  if (from != x.assignee || what.assignee == from || !with_.members->has(what.assignee) ||
      x.frame.empty() || !x.redirected_by.insert(from).second)
    return;
  ++counts_.redirected;
  x.relays = 0;
  build(sequence, x, what.assignee, out);
}

void core::on(const admission::busy& what, validator_id from, bundle_sequence, bundle& x,
              effects&) {
  counts_.busy += x.size();
  if (from != x.assignee) return;
  window_.found_busy(x.last_sent, now_);
  const auto wait = std::clamp(what.retry_after, busy_wait_min, busy_wait_max);
  const auto longer = wait * (1 << std::min(x.busy, busy_doublings_max));
  ++x.busy;
  x.resend_at = now_ + std::min<std::chrono::milliseconds>(longer, busy_wait_max);
}

void core::on(const admission::relay_limited&, validator_id, bundle_sequence, bundle& x, effects&) {
  counts_.busy += x.size();  // another one is tried at relay_at
}

void core::on(const admission::invalid& what, validator_id from, bundle_sequence sequence,
              bundle& x, effects& out) {
  if (x.frame.empty() || !x.invalid_at.insert(from).second) return;
  refusal_ = what.reason;
  if (x.invalid_at.size() >= with_.members->validity())
    give_up(sequence, x, out);
  else
    relay(sequence, x, out);
}

/// f+1 validators will not have it. If it has only waited too long, it leaves once more under the
/// same sequence, which is executed once whatever becomes of the older build. Otherwise its
/// sequence is filled with an empty bundle, since a gap would hold up the client's window for ever.
void core::give_up(bundle_sequence sequence, bundle& x, effects& out) {
  const bool expired = x.expires < anchor_round_;
  if (with_.with.single || (x.size() == 0 && !expired)) {
    counts_.invalid += x.size();
    outstanding_.erase(sequence);
    return;
  }
  if (expired) {
    x.invalid_at.clear();
    return build(sequence, x, x.assignee, out);
  }
  counts_.invalid += x.size();
  bundle empty;
  empty.transactions = std::make_shared<const std::vector<planned_transaction>>();
  const validator_id assignee = x.assignee;
  x = std::move(empty);
  build(sequence, x, assignee, out);
}

void core::on(const admission::duplicate&, validator_id, bundle_sequence sequence, bundle& x,
              effects& out) {
  query_all(sequence, x, out);
}

// -- receipts

bool core::needs(validator_id from, const receipt& x) const {
  if (x.client != with_.self) return false;
  if (const auto found = outstanding_.find(x.sequence); found != outstanding_.end())
    return !found->second.votes.has(from) || !x.results.empty();
  const auto done = done_.find(x.sequence);
  if (done == done_.end()) return false;
  return x.index != done->second.what.index || (!x.results.empty() && !done->second.results_known);
}

void core::on(receipts_forged, effects&) {
  ++counts_.forged;
}

void core::on(receipts_checked x, effects& out) {
  const receipts& said = *x.what;
  if (!with_.members->has(said.validator)) return;
  heard(said.validator);
  note_round(said.validator, said.anchor_round);
  for (const receipt& one : said.list)
    if (needs(said.validator, one)) take(said.validator, one, out);
}

void core::take(validator_id from, const receipt& x, effects& out) {
  const auto found = outstanding_.find(x.sequence);
  if (found == outstanding_.end()) return take_late(from, x, done_.at(x.sequence));
  bundle& b = found->second;
  if (!x.results.empty()) b.results[x.results_digest] = x.results;
  const auto agreed =
      b.votes.add(from, {x.bundle, x.index, x.results_digest}, with_.members->validity());
  if (agreed) complete(x.sequence, *agreed, out);
}

void core::complete(bundle_sequence sequence, const receipt_statement& what, effects& out) {
  bundle x = std::move(outstanding_.at(sequence));
  outstanding_.erase(sequence);
  if (!holds(x.ids, what.bundle)) return move_to_new_sequence(std::move(x), out);
  window_.served();
  ++counts_.receipts;
  counts_.completed += x.size();
  counts_.newest_commit = std::max(counts_.newest_commit, what.index);
  for (const auto& t : *x.transactions)
    counts_.latency.add(
        std::chrono::duration_cast<std::chrono::microseconds>(now_ - due_at(t.due)));
  counts_.sent_latency.add(
      std::chrono::duration_cast<std::chrono::microseconds>(now_ - *x.first_sent), x.size());
  served_.add(std::chrono::duration_cast<std::chrono::microseconds>(now_ - x.last_sent));
  if (done_.size() >= done_max) {
    codeless_.erase(done_.begin()->first);
    done_.erase(done_.begin());
  }
  finished_bundle& done = done_[sequence];
  done = {what, x.size(), false, {}};
  if (with_.with.single && x.size() > 0)
    single_ = single_outcome{what.index, what.results_digest, {}};
  if (const auto codes = x.results.find(what.results_digest);
      codes != x.results.end() && codes->second.size() == x.size()) {
    count_results(codes->second);
    done.results_known = true;
  } else if (x.size() > 0) {
    codeless_.insert(sequence);
  }
}

/// f+1 receipts say that another bundle was committed under our sequence (of an earlier life of
/// this client): so ours never will be, and its transactions may leave again.
void core::move_to_new_sequence(bundle x, effects& out) {
  ++counts_.resequenced;
  if (x.admitted) counts_.admitted -= x.size();
  // Beside another process that uses this key, one step at a time would never get ahead of it. What
  // is passed over that process takes, or our next run, which begins at the first gap.
  if (with_.with.single)
    next_sequence_ = next_sequence_ +
                     (std::uint64_t{1} << std::min(counts_.resequenced, leap_doublings_max)) - 1;
  const bundle_sequence sequence = next_sequence_;
  ++next_sequence_;
  bundle& fresh = outstanding_[sequence];
  fresh.transactions = std::move(x.transactions);
  fresh.first_sent = x.first_sent;
  fresh.target = x.target;
  build(sequence, fresh, x.assignee, out);
}

void core::take_late(validator_id from, const receipt& x, finished_bundle& done) {
  if (x.index != done.what.index) {
    const auto agreed =
        done.again.add(from, {x.bundle, x.index, x.results_digest}, with_.members->validity());
    if (agreed) counts_.duplicated += done.transactions;
  } else if (!done.results_known && x.results_digest == done.what.results_digest &&
             x.results.size() == done.transactions) {
    count_results(x.results);
    done.results_known = true;
    codeless_.erase(x.sequence);
  }
}

void core::count_results(const std::vector<byte>& codes) {
  for (const byte code : codes)
    if (code < counts_.results.size()) ++counts_.results[code];
  if (single_ && !codes.empty()) single_->code = static_cast<result_code>(codes.front());
}

const summary& core::counts(time_point now) {
  counts_.offered = due(now);
  counts_.waiting = counts_.offered > made_ ? counts_.offered - made_ : 0;
  counts_.outstanding = counts_.lost = 0;
  for (const auto& [sequence, x] : outstanding_) {
    counts_.outstanding += x.size();
    // While receipts are waited for, nothing is lost.
    if (finished_ && x.admitted) counts_.lost += x.size();
  }
  counts_.newest_anchor_round = anchor_round_;
  counts_.finished = finished_;
  return counts_;
}

}  // namespace flamingo::client
