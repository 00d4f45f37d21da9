// The clients' side of the worker: admission, sealing, receipts.
#include <algorithm>

#include "actors/worker/worker.hpp"
#include "messages/assert.hpp"

namespace flamingo::worker {

namespace {

constexpr std::chrono::milliseconds busy_retry{100};
constexpr std::chrono::milliseconds diverged_retry{10'000};  // until an operator has seen to it
constexpr std::chrono::milliseconds lag_retry{500};

/// Tells the same bundle sent again from another one under its sequence, without hashing either:
/// who makes two with one mark fools only himself.
std::uint64_t mark_of(const signature& sig) {
  std::uint64_t mark = 0;
  for (std::size_t i = 0; i < 8; ++i) mark |= std::uint64_t{sig.bytes[i]} << (8 * i);
  return mark | 1;
}

std::uint64_t body_bytes(const checked_bundle& x) {
  return x.parts.body.size();
}

}  // namespace

void core::answer(client_id client, bundle_sequence sequence, admission::answer what,
                  effects& out) {
  out.to_clients.emplace_back(client, admission_answer{sequence, std::move(what)});
}

void core::answer_duplicate(client_id client, bundle_sequence sequence, effects& out) {
  answer(client, sequence, admission::duplicate{}, out);
  receipts_.ask(client, sequence, now_);
}

bool core::consumed(client_id client, bundle_sequence sequence) const {
  const auto* window = window_of(client);
  return window && window->has(sequence);
}

const committer::client_window* core::window_of(client_id client) const {
  const auto found = windows_.find(client);
  return found == windows_.end() ? nullptr : &found->second;
}

bool core::serves(client_id client) const {
  return client.value % with_.protocol.workers == with_.worker.value;
}

void core::on(client_up x, effects& out) {
  say_where_we_are(x.client, out);
}

void core::say_where_we_are(client_id client, effects& out) {
  const auto* window = window_of(client);
  out.to_clients.emplace_back(
      client, welcome{with_.self, window ? window->low() : bundle_sequence{1}, anchor_round_});
}

std::optional<admission::busy> core::busy(bool store_full) const {
  if (diverged_) return admission::busy{diverged_retry, "this validator's state differs"};
  if (newest_ > executed() + with_.local.max_lag) return admission::busy{lag_retry, "max_lag"};
  if (store_full) return admission::busy{busy_retry, "the store's queue"};
  return std::nullopt;
}

void core::on(bundle_arrived x, effects& out) {
  const client_id from = x.from;
  const bundle_sequence sequence = x.bundle.claimed;
  if (!with_.members->find(from)) return out.rejected.push_back(reject::unknown_client);
  if (sequence.value == 0) return refuse(from, sequence, bundle_fault::malformed, out);
  if (consumed(from, sequence)) return answer_duplicate(from, sequence, out);
  if (auto why = ingress_.distrusts(from, now_)) {
    out.rejected.push_back(reject::too_many_requests);
    return answer(from, sequence, std::move(*why), out);
  }
  auto& held = held_[from];
  const std::uint64_t mark = mark_of(x.bundle.parts.sig);
  if (const auto same = held.find(sequence); same != held.end()) {
    if (same->second.mark != 0 && same->second.mark != mark)
      return answer(from, sequence, admission::duplicate{}, out);
    // If it still waits, it is answered when its turn comes.
    if (same->second.admitted) answer(from, sequence, admission::admitted{}, out);
    return;
  }
  const auto* window = window_of(from);
  const bundle_sequence low = window ? window->low() : bundle_sequence{1};
  if (sequence >= low + with_.protocol.bundle_window)
    return answer(from, sequence, admission::busy{busy_retry, "bundle_window"}, out);
  if (auto why = busy(x.store_full)) return answer(from, sequence, std::move(*why), out);
  if (auto why = ingress_.arrive(from, std::move(x.bundle), now_)) {
    if (const char* bound = closed_by()) why = admission::busy{lag_retry, bound};
    return answer(from, sequence, std::move(*why), out);
  }
  held[sequence] = {mark, false};
}

void core::on(bundle_refused x, effects& out) {
  held_[x.from].erase(x.bundle.claimed);
  ingress_.release(x.from, x.bundle.parts.body.size());
  ingress_.checked_in_vain(x.from, now_);
  refuse(x.from, x.bundle.claimed, x.why, out);
}

void core::on(garbage_arrived x, effects& out) {
  refuse(x.from, x.claimed, x.why, out);
}

void core::refuse(client_id from, bundle_sequence sequence, bundle_fault why, effects& out) {
  out.rejected.push_back(reject_of(why));
  answer(from, sequence, admission::invalid{std::string(to_string(why))}, out);
}

std::optional<admission::answer> core::admission_of(client_id from, const checked_bundle& x) {
  const bundle_head& head = x.head;
  if (head.client != from) return admission::invalid{"the link is another client's"};
  if (consumed(from, head.sequence)) return admission::duplicate{};
  if (head.expires < anchor_round_)
    return admission::invalid{"it expires at an anchor round that is over"};
  const auto assignee =
      assignments_.assignee_of(x.operations, *with_.members->find(from), head.assignee);
  if (head.assignee != with_.self) {
    if (auto limited = ingress_.relay(from, body_bytes(x), now_)) return std::move(*limited);
  } else if (assignee != with_.self) {
    return admission::redirect{assignee};
  }
  return std::nullopt;
}

void core::on(bundle_checked x, effects& out) {
  const client_id from = x.from;
  const bundle_sequence sequence = x.bundle->head.sequence;
  auto& held = held_[from];
  if (auto why = admission_of(from, *x.bundle)) {
    held.erase(sequence);
    ingress_.release(from, body_bytes(*x.bundle));
    ingress_.checked_in_vain(from, now_);
    if (std::holds_alternative<admission::duplicate>(*why))
      return answer_duplicate(from, sequence, out);
    // A client that gets no receipts does not know how far the anchors are.
    if (x.bundle->head.expires < anchor_round_) say_where_we_are(from, out);
    return answer(from, sequence, std::move(*why), out);
  }
  held[sequence].admitted = true;
  answer(from, sequence, admission::admitted{}, out);
  const auto bytes = bundle_bytes_in_batch(body_bytes(*x.bundle));
  const std::uint32_t transactions = x.bundle->head.transactions;
  if (!pending_.empty() && (pending_bytes_ + bytes > with_.protocol.max_batch_bytes ||
                            pending_transactions_ + transactions > transactions_max_))
    seal(out);
  if (pending_.empty()) {
    pending_since_ = now_;
    pending_bytes_ = batch_overhead_bytes;
  }
  pending_bytes_ += bytes;
  pending_transactions_ += transactions;
  pending_.push_back({*x.bundle, from});
}

void core::on(query_arrived x, effects& out) {
  if (!with_.members->find(x.from)) return out.rejected.push_back(reject::unknown_client);
  receipts_.ask(x.from, x.sequence, now_);
}

// -- sealing

std::optional<time_point> core::seal_deadline() const {
  if (pending_.empty()) return std::nullopt;
  return pending_since_ + with_.local.max_batch_delay;
}

void core::seal_if_due(effects& out) {
  if (pending_.empty()) return;
  if (pending_bytes_ >= std::min(with_.local.batch_bytes, with_.protocol.max_batch_bytes) ||
      pending_.size() >= with_.protocol.max_bundles_per_batch || now_ >= *seal_deadline())
    seal(out);
}

void core::release(const pending_bundle& x) {
  ingress_.release(x.from, body_bytes(x.bundle));
}

void core::release(const std::vector<charge>& charges) {
  for (const auto& x : charges) ingress_.release(x.from, x.bytes);
}

void core::seal(effects& out) {
  seal_order order{next_sequence_, {}};
  std::vector<charge> charges;
  for (auto& x : pending_) {
    if (consumed(x.bundle.head.client, x.bundle.head.sequence)) {
      release(x);
      continue;
    }
    charges.push_back({x.from, body_bytes(x.bundle)});
    order.bundles.push_back(std::move(x.bundle));
  }
  pending_.clear();
  pending_bytes_ = 0;
  pending_transactions_ = 0;
  if (order.bundles.empty()) return;
  own_[next_sequence_].charges = std::move(charges);
  ++next_sequence_;
  out.seals.push_back(std::move(order));
}

// -- receipts and the table

void core::on(bundles_executed x, effects& out) {
  if (diverged_) return;
  for (const auto& bundle : x.executed.bundles) {
    if (!serves(bundle.client)) continue;
    const auto codes = x.executed.results_of(bundle);
    receipts_.add(
        bundle.client,
        {bundle.sequence, bundle.id, x.executed.index, bundle.author, {codes.begin(), codes.end()}},
        now_, out.outcomes);
  }
}

void core::on(table_changed x, effects& out) {
  if (!assignments_.apply(x.update)) return;
  for (std::uint32_t c = 0; c < with_.members->clients.size(); ++c) {
    if (!serves(client_id{c})) continue;
    assignment_update own{x.update.version, {}};
    for (const auto& move : x.update.moves)
      if (with_.members->clients[c].owns(move.account)) own.moves.push_back(move);
    if (!own.moves.empty()) out.to_clients.emplace_back(client_id{c}, std::move(own));
  }
  // What is not sealed is handed back.
  std::vector<pending_bundle> kept;
  for (auto& pending : pending_) {
    const bundle_head& head = pending.bundle.head;
    const auto assignee = assignments_.assignee_of(
        pending.bundle.operations, *with_.members->find(head.client), head.assignee);
    if (head.assignee != with_.self || assignee == with_.self) {
      kept.push_back(std::move(pending));
      continue;
    }
    pending_bytes_ -= bundle_bytes_in_batch(body_bytes(pending.bundle));
    pending_transactions_ -= head.transactions;
    release(pending);
    held_[pending.from].erase(head.sequence);
    answer(pending.from, head.sequence, admission::redirect{assignee}, out);
  }
  pending_ = std::move(kept);
}

}  // namespace flamingo::worker
