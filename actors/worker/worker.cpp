// Batches and peers. Clients are in worker_clients.cpp, the log and executors in worker_log.cpp.
#include "actors/worker/worker.hpp"

#include <algorithm>

#include "actors/dag/limits.hpp"
#include "messages/account_counts.hpp"
#include "messages/assert.hpp"

namespace flamingo::worker {

namespace {

constexpr std::uint64_t batch_quantum = 1 << 20;  // cost that a peer may have checked in one turn

// Peers' batches that are checked before a client gets a turn again.
constexpr std::uint32_t batches_before_bundle = 8;

// A peer keeps a window of its own; what it may have waiting here is twice ours, since its setting
// may differ.
constexpr std::uint64_t peer_queue_windows = 2;
// And of its batches that the log has not output, we store more than an honest one ever makes.
constexpr std::uint64_t uncommitted_factor = 2;

// What it costs a peer to hear that a batch is not here, as bytes that it could be sent.
constexpr std::uint64_t absence_cost = 4 << 10;

// To find out that a batch is bad can take as long as to check all of it.
constexpr std::uint64_t refused_batches_per_second = 1;

constexpr std::chrono::milliseconds receipt_linger{10};

}  // namespace

reject reject_of(bundle_fault why) {
  switch (why) {
    case bundle_fault::bad_signature:
      return reject::bad_signature;
    case bundle_fault::unknown_client:
      return reject::unknown_client;
    case bundle_fault::unknown_assignee:
      return reject::unknown_validator;
    case bundle_fault::too_large:
    case bundle_fault::too_many_transactions:
    case bundle_fault::operation_too_large:
    case bundle_fault::too_many_accounts:
      return reject::oversize;
    default:
      return reject::malformed;
  }
}

bool payload_order::any_fresh() const {
  return std::find(fresh.begin(), fresh.end(), true) != fresh.end();
}

core::core(parameters with)
    : with_(std::move(with)),
      ingress_({with_.local.client_window_bytes, with_.local.ingress_bytes,
                with_.local.max_admission_delay, with_.local.relay_per_mille}),
      transactions_max_(dag::room_for_counts(*with_.members, with_.protocol) / counts_bytes_max(1)),
      receipts_({with_.local.recent_receipts, receipt_linger}),
      egress_({with_.self, with_.members->size(), with_.members->quorum(),
               with_.local.peer_window_bytes, with_.local.batch_cache_bytes,
               with_.local.batch_resend}),
      received_(batch_quantum),
      received_bytes_(with_.members->size()),
      refused_of_(with_.members->size(), rate_limit(refused_batches_per_second)),
      records_({with_.local.history_bytes, with_.local.history_retention}),
      uncommitted_(with_.local.min_uncommitted_bytes, with_.local.max_uncommitted_bytes),
      orphans_({with_.protocol.gc_depth + with_.local.history_rounds, with_.protocol.gc_depth}),
      fetcher_(
          {with_.self, with_.members->size(), with_.local.max_fetches, with_.local.fetch_retry}),
      serving_(with_.members->size(), rate_limit(with_.local.peer_window_bytes)) {}

void core::restore(const batch_available& stored, batch_sequence sequence,
                   const std::vector<bundle_head>& bundles, std::optional<commit_index> committed,
                   time_point now) {
  records_.add(stored.id, {stored.author, sequence, stored.bytes, stored.transactions,
                           stored.counts_digest, true, std::nullopt});
  const bool own = stored.author == with_.self;
  if (own && sequence >= next_sequence_) next_sequence_ = sequence + 1;
  now_ = now;
  if (committed) {
    effects known;
    committed_by(*committed, {stored.author, sequence, stored.id}, known);
  } else if (own && !own_.contains(sequence)) {
    // After a lost store two may have one sequence: the one that was lost is the others' to
    // announce.
    egress_.add(sequence, stored.id, stored.bytes, {}, now);
    own_[sequence] = {stored, {}, {}, false};
    // Its bundles are in our hands as they were before: who sends one again hears `admitted`.
    for (const auto& head : bundles) held_[head.client][head.sequence] = {0, true};
  }
}

void core::restore(client_id client, committer::client_window window) {
  windows_[client] = std::move(window);
}

void core::restore(commit_index newest, round_number anchor_round) {
  newest_ = newest;
  anchor_round_ = anchor_round;
}

effects core::step(time_point now, input in) {
  effects out;
  now_ = now;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  seal_if_due(out);
  egress_.pump(now_, out.batches);
  fetcher_.pump(now_, out.requests);
  receipts_.take_ready(now_, anchor_round_, out.receipts);
  return out;
}

/// The bound for which bundles wait at the door, if they must: more of them now would only make all
/// wait longer.
const char* core::closed_by() const {
  const std::uint64_t uncommitted = records_.uncommitted_bytes(with_.self);
  if (uncommitted >= with_.local.max_uncommitted_bytes) return "max_uncommitted_bytes";
  if (uncommitted >= uncommitted_.bytes(now_)) return "min_uncommitted_bytes";
  if (!unexecuted_.empty() && now_ - unexecuted_.front().second > with_.local.max_execution_delay)
    return "max_execution_delay_ms";
  return nullptr;
}

std::optional<check> core::next_check() {
  const bool clients_turn = batches_in_a_row_ >= batches_before_bundle && bundles_wait();
  if (!received_.empty() && !clients_turn) {
    ++batches_in_a_row_;
    auto next = received_.pop();
    received_bytes_[next->first.value] -= next->second.frame.size();
    return std::move(next->second);
  }
  batches_in_a_row_ = 0;
  // While too much waits for a commit they wait at the door, where they are served in turn.
  if (!bundles_wait()) return std::nullopt;
  auto next = ingress_.pop();
  return bundle_check{next->first, std::move(next->second)};
}

std::optional<time_point> core::next_deadline() const {
  std::optional<time_point> first;
  for (const auto& at : {seal_deadline(), egress_.next_deadline(), fetcher_.next_deadline(),
                         receipts_.next_deadline()})
    if (at) first = std::min(first.value_or(time_point::max()), *at);
  return first;
}

void core::on(started, effects& out) {
  records_.for_each_uncommitted([&](const digest& id, const batch_record& record) {
    if (!record.durable) return;
    out.stored_indexes.push_back(record.key(id));
    announce(id, record, out);
    if (record.author == with_.self)
      acknowledged(with_.self, {id, record.sequence}, out);
    else
      orphans_.watch(id, anchor_round_);  // they know of no withdrawal
  });
  records_.for_each_held([&](const digest& id, const batch_record& record) {
    if (record.durable) orphans_.watch_output(id);
  });
}

void core::on(availability_asked x, effects& out) {
  const auto& author = x.question.author;
  const bool is_late = author && with_.members->has(*author) && *author != with_.self;
  batch_request lacking;
  for (const digest& id : x.question.batches) {
    const batch_record* record = records_.find(id);
    if (record && record->durable) {
      if (!may_promise(*record)) continue;
      promised(id, *record);
      announce(id, *record, out);
    } else if (!record && is_late && !fetcher_.wants(id)) {
      lacking.batches.push_back(id);
    }
    if (lacking.batches.size() == max_requested_batches)
      out.requests.emplace_back(*author, std::exchange(lacking, {}));
  }
  if (!lacking.batches.empty()) out.requests.emplace_back(*author, std::move(lacking));
}

void core::on(withdrawal_answered x, effects&) {
  orphans_.noted(x.noted, anchor_round_);
}

// -- peers

void core::on(peer_up x, effects&) {
  if (!with_.members->has(x.peer) || x.peer == with_.self) return;
  egress_.peer_up(x.peer, now_);
  fetcher_.peer_up(x.peer);
}

void core::on(peer_down x, effects&) {
  if (!with_.members->has(x.peer) || x.peer == with_.self) return;
  egress_.peer_down(x.peer);
  fetcher_.peer_down(x.peer);
}

void core::on(batch_arrived x, effects& out) {
  if (!with_.members->has(x.from) || x.from == with_.self || !with_.members->has(x.batch.author) ||
      x.batch.worker != with_.worker)
    return out.rejected.push_back(reject::wrong_author);
  if (refused_of_[x.from.value].wait(now_) > duration{})
    return out.rejected.push_back(reject::too_many_requests);
  const bool asked = fetcher_.asked(x.from);
  if (x.batch.author != x.from && !asked) return out.rejected.push_back(reject::not_requested);
  // It is sent again, or asked for again.
  if (x.store_full) return out.rejected.push_back(reject::too_many_pending);
  const std::uint64_t bytes = x.frame.size();
  // Whether it is what was asked for, its digest will tell.
  if (!asked && too_many_uncommitted(x.batch.author, bytes))
    return out.rejected.push_back(reject::too_many_pending);
  std::uint64_t& queued = received_bytes_[x.from.value];
  if (queued + bytes > peer_queue_windows * with_.local.peer_window_bytes && queued > 0)
    return out.rejected.push_back(reject::too_many_pending);
  queued += bytes;
  const auto cost = bytes + signature_cost * x.batch.bundles.size();
  const validator_id from = x.from;
  received_.push(from, {from, std::move(x.batch), std::move(x.frame)}, cost);
}

void core::on(batch_checked x, effects& out) {
  const digest id = x.batch->id;
  if (knows(id)) return on(batch_known{x.from, id}, out);  // two copies were on their way
  if (!fetcher_.wants(id)) {
    if (x.batch->author != x.from) return out.rejected.push_back(reject::not_requested);
    if (too_many_uncommitted(x.batch->author, x.batch->frame.size()))
      return out.rejected.push_back(reject::too_many_pending);
  }
  if (x.batch->author == with_.self && x.batch->sequence >= next_sequence_)
    next_sequence_ = x.batch->sequence + 1;  // an own one that our store lost
#if FLAMINGO_MUTANT_batch_judged_by_window
  for (const auto& head : x.batch->bundles)
    if (consumed(head.client, head.sequence)) return out.rejected.push_back(reject::bad_payload);
#endif
  fetcher_.arrived(id);
  store(*x.batch, out);
  if (const auto waits = payload_wanted_.find(id); waits != payload_wanted_.end()) {
    const batch_key key{x.batch->author, x.batch->sequence, id};
    for (auto& order : waits->second) {
      committed_by(order.index, key, out);
      order.batch = key;
      order.operations = x.batch->operations;
      out.payload.push_back(std::move(order));
    }
    payload_wanted_.erase(waits);
    uncache(id);
  }
}

bool core::too_many_uncommitted(validator_id author, std::uint64_t bytes) const {
  return records_.uncommitted_bytes(author) + bytes + batch_records::overhead >
         uncommitted_factor * with_.local.max_uncommitted_bytes;
}

void core::on(batch_known x, effects& out) {
  const batch_record* record = records_.find(x.id);
  // Sent again, so our acknowledgement was lost; if it is not durable yet, it will be acknowledged.
  if (!record || !record->durable || record->author != x.from) return;
  if (!record->committed) promised(x.id, *record);
  out.acks.emplace_back(x.from, batch_stored{x.id, record->sequence});
}

/// A commit output a batch. Others' are not history yet: a header that was voted for may bring them
/// again.
void core::committed_by(commit_index index, const batch_key& batch, effects& out) {
  const auto before = records_.commit(batch.id, index, now_);
  if (!before.news) return;
  out.committed.emplace_back(index, batch);
  if (before.outdated)
    out.outdated.emplace_back(*before.outdated, batch);
  else if (batch.author != with_.self)
    records_.hold(batch.id);
}

/// A batch that its author lists again has to be kept as if it were new, and within its bound.
bool core::may_promise(const batch_record& x) const {
  return x.author == with_.self || !x.committed || x.listed_again ||
         !too_many_uncommitted(x.author, x.bytes);
}

/// Somebody hears now that the batch is stored here: it is given up only as long after as if it had
/// just come, whatever was decided before.
void core::promised(const digest& id, const batch_record& record) {
#if FLAMINGO_MUTANT_acknowledged_and_deleted
  return;
#endif
  if (record.author == with_.self) return;
  if (record.committed) records_.list_again(id);
  if (record.committed || orphans_.watches(id)) orphans_.watch(id, anchor_round_);
}

void core::on(batch_refused x, effects& out) {
  refused_of_[x.from.value].charge(1, now_);
  out.rejected.push_back(reject_of(x.why));
}

void core::on(stored_arrived x, effects& out) {
  if (!with_.members->has(x.from) || x.from == with_.self)
    return out.rejected.push_back(reject::unknown_validator);
  acknowledged(x.from, x.stored, out);
}

void core::on(request_arrived x, effects& out) {
  if (!with_.members->has(x.from) || x.from == with_.self)
    return out.rejected.push_back(reject::unknown_validator);
  batches_absent lacking;
  for (const digest& id : x.request.batches) {
    const batch_record* record = records_.find(id);
    if (!record) {
      if (!serving_[x.from.value].take(absence_cost, now_))
        return out.rejected.push_back(reject::too_many_requests);
      lacking.batches.push_back(id);
    }
    if (!record || !record->durable) continue;
    if (serving_[x.from.value].take(record->bytes, now_))
      out.served.push_back({x.from, record->key(id), {}});
    else
      out.rejected.push_back(reject::too_many_requests);
  }
  if (!lacking.batches.empty()) out.absent.emplace_back(x.from, std::move(lacking));
}

void core::on(absence_told x, effects& out) {
  if (!with_.members->has(x.from) || x.from == with_.self)
    return out.rejected.push_back(reject::unknown_validator);
  for (const digest& id : x.absent.batches) fetcher_.absent(x.from, id);
}

// -- own batches

void core::on(batch_sealed x, effects& out) {
  const checked_batch& batch = x.batch;
  egress_.add(batch.sequence, batch.id, batch.frame.size(), batch.frame, now_);
  own_batch& own = own_[batch.sequence];
  own.sealed = now_;
  own.announcement = {
      batch.id,     with_.self, with_.worker,      batch.transactions, batch.counts_digest,
      batch.counts, {},         batch.frame.size()};
  store(std::move(x.batch), out);
}

void core::store(checked_batch batch, effects& out) {
  records_.add(batch.id, {batch.author, batch.sequence, batch.frame.size(), batch.transactions,
                          batch.counts_digest, false, std::nullopt});
  storing_[batch.id] = batch.bundles;
  cache(batch.id, batch.operations);
  out.store.push_back(std::move(batch));
}

void core::on(batches_durable x, effects& out) {
  for (const digest& id : x.ids) {
    const batch_record& record = records_.durable(id);
    const auto index = storing_.find(id);
    out.indexes.push_back({id, record.author, with_.worker, std::move(index->second)});
    storing_.erase(index);
    if (record.author == with_.self) {
      acknowledged(with_.self, {id, record.sequence}, out);
      continue;
    }
    if (!record.committed)
      orphans_.watch(id, anchor_round_);
    else if (record.held)
      orphans_.watch_output(id);
    out.acks.emplace_back(record.author, batch_stored{id, record.sequence});
    announce(id, record, out);
  }
}

/// Tells the primary of a durable batch. One of our own only if it is to be proposed: a quorum has
/// it, and no commit has output it.
void core::announce(const digest& id, const batch_record& record, effects& out) {
  if (record.author == with_.self) {
    const auto own = own_.find(record.sequence);
    if (own != own_.end() && own->second.at_quorum && own->second.announcement.id == id)
      out.available.push_back(own->second.announcement);
    return;
  }
  out.available.push_back({id,
                           record.author,
                           with_.worker,
                           record.transactions,
                           record.counts_digest,
                           {},
                           {},
                           record.bytes});
}

void core::acknowledged(validator_id from, const batch_stored& x, effects& out) {
  const auto wait = egress_.acknowledged(from, x, now_);
  if (!wait) return;
  const auto own = own_.find(x.sequence);
  own->second.announcement.wait = std::chrono::duration_cast<std::chrono::microseconds>(*wait);
  own->second.at_quorum = true;
  out.available.push_back(own->second.announcement);
  release(std::exchange(own->second.charges, {}));
}

}  // namespace flamingo::worker
