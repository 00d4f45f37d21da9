// The log's side of the worker: what committed, what is missing, and the executors.
#include <algorithm>
#include <utility>

#include "actors/worker/worker.hpp"

namespace flamingo::worker {

void core::on(commit_noticed x, effects&) {
  newest_ = std::max(newest_, x.notice.index);
  anchor_round_ = std::max(anchor_round_, x.notice.anchor_round);
  // The first one tells what was committed before this start; until then the worker knows as much
  // as its own store, and the log may have been far ahead of that.
  if (!std::exchange(knows_the_log_, true)) orphans_.found_at(anchor_round_);
}

void core::on(sub_dag_sequenced x, effects& out) {
  const sequenced_sub_dag& sub_dag = x.sub_dag;
  newest_ = std::max(newest_, sub_dag.index);
  anchor_round_ = std::max(anchor_round_, sub_dag.anchor_round);
  std::set<client_id> changed;
  for (const auto& batch : sub_dag.batches)
    for (const auto& bundle : batch.bundles) consume(bundle, changed);
  out.windows.assign(changed.begin(), changed.end());
  expect_outcomes(sub_dag);
  for (const auto& batch : sub_dag.batches)
    if (batch.worker == with_.worker) output(sub_dag, batch, out);
  sequenced_round_ = std::max(sequenced_round_, sub_dag.anchor_round);
  unexecuted_.emplace_back(sub_dag.index, now_);
  forget_executed();
  give_up_orphans(out);
}

void core::forget_executed() {
  const commit_index done = executed();
  while (!unexecuted_.empty() && unexecuted_.front().first <= done) unexecuted_.pop_front();
}

/// By the stream alone: the notices of commits run ahead of what is known to be output.
void core::give_up_orphans(effects& out) {
  for (const digest& id : orphans_.take_dead(sequenced_round_)) {
    if (records_.find(id)->committed) {
      records_.release(id, now_);
      continue;
    }
    out.given_up.push_back(records_.find(id)->key(id));
    records_.give_up(id);
    uncache(id);
  }
  out.withdrawal = orphans_.withdraw(sequenced_round_);
  if (out.withdrawal) out.withdrawal->worker = with_.worker;
}

void core::consume(const sequenced_bundle& x, std::set<client_id>& changed) {
  if (x.what == verdict::out_of_window) return;
  auto& window = windows_[x.client];
  const auto before = window.low();
  // A verdict that a window here does not bear out (it was lost) is taken as it is.
  if (window.take(x.sequence, round_number{~std::uint64_t{0}}, {}, with_.protocol.bundle_window) ==
      verdict::fresh)
    changed.insert(x.client);
  const auto of_client = held_.find(x.client);
  if (of_client == held_.end()) return;
  of_client->second.erase(x.sequence);
  if (window.low() > before)
    of_client->second.erase(of_client->second.begin(), of_client->second.lower_bound(window.low()));
}

void core::expect_outcomes(const sequenced_sub_dag& sub_dag) {
  // The executors report what is fresh, and one of them what has nothing to run.
  std::map<client_id, std::uint32_t> outcomes;
  for (const auto& batch : sub_dag.batches)
    for (const auto& bundle : batch.bundles)
      if (serves(bundle.client) &&
          (bundle.what == verdict::fresh || bundle.what == verdict::expired))
        ++outcomes[bundle.client];
  for (const auto& [client, count] : outcomes) receipts_.expect(client, sub_dag.index, count);
}

void core::output(const sequenced_sub_dag& sub_dag, const sequenced_batch& batch, effects& out) {
  const batch_record* record = records_.find(batch.id);
  const batch_sequence sequence = record ? record->sequence : batch_sequence{};
  const batch_key key{batch.author, sequence, batch.id};
  if (record) committed_by(sub_dag.index, key, out);
  if (record && record->held && record->durable) orphans_.watch_output(batch.id);
  if (record && batch.author == with_.self) {
    egress_.forget(sequence);
    if (const auto own = own_.find(sequence); own != own_.end()) {
      release(own->second.charges);
      if (const auto sealed = own->second.sealed)
        uncommitted_.output(record->bytes, now_ - *sealed, now_);
      own_.erase(own);
    }
  }
  payload_order order{sub_dag.index, key, {}, nullptr};
  order.fresh.reserve(batch.bundles.size());
  for (const auto& bundle : batch.bundles) order.fresh.push_back(bundle.what == verdict::fresh);
  if (!record && order.any_fresh()) {
    payload_wanted_[batch.id].push_back(std::move(order));
    return fetcher_.want({batch.id, batch.author, batch.worker, {}});
  }
  if (auto cached = uncache(batch.id)) order.operations = std::move(cached);
  out.payload.push_back(std::move(order));
}

void core::cache(const digest& id, std::shared_ptr<const packed_operations> operations) {
  packed_bytes_ += operations->bytes.size();
  packed_order_.emplace(packed_count_, id);
  packed_[id] = {std::move(operations), packed_count_++};
  while (packed_bytes_ > with_.local.batch_cache_bytes) uncache(packed_order_.begin()->second);
}

std::shared_ptr<const packed_operations> core::uncache(const digest& id) {
  const auto found = packed_.find(id);
  if (found == packed_.end()) return nullptr;
  auto operations = std::move(found->second.operations);
  packed_bytes_ -= operations->bytes.size();
  packed_order_.erase(found->second.number);
  packed_.erase(found);
  return operations;
}

void core::on(batches_wanted x, effects& out) {
  for (const auto& wanted : x.batches)
    if (wanted.worker == with_.worker) want(wanted, out);
}

void core::want(const wanted_batch& wanted, effects& out) {
  const batch_record* record = records_.find(wanted.id);
  if (!record) return fetcher_.want(wanted);
  if (!record->durable) return;  // its index goes out once it is
  promised(wanted.id, *record);
  out.stored_indexes.push_back(record->key(wanted.id));
}

// -- executors

void core::on(executor_met x, effects&) {
  // Who joins the others is not behind them, until it says so.
  executor_state others;
  if (!executors_.empty()) others = {executed(), snapshot(), executors_.begin()->second.life};
  executors_.try_emplace(x.executor, others);
}

void core::on(executor_left x, effects& out) {
  executors_.erase(x.executor);
  forget_executed();
  answer_about_outcomes(out);
}

void core::on(execution_advanced x, effects& out) {
  const auto found = executors_.find(x.progress.executor);
  if (found == executors_.end()) return;             // it has left
  if (x.progress.life < found->second.life) return;  // from before a roll-back
  found->second = {x.progress.index, x.progress.snapshot, x.progress.life};
  forget_executed();
#if FLAMINGO_MUTANT_deletion_leads
  records_.take_deletions(newest_, now_, out.deletions);
#endif
  records_.take_deletions(snapshot(), now_, out.deletions);
  answer_about_outcomes(out);
}

void core::on(outcomes_asked x, effects& out) {
  outcomes_asked_.push_back(x);
  answer_about_outcomes(out);
}

/// An executor tells outcomes before its progress past them, so none is to come any more once all
/// executors of this life are so far.
void core::answer_about_outcomes(effects& out) {
  std::erase_if(outcomes_asked_, [&](const outcomes_asked& x) {
    bool all = true, over = false;
    for (const auto& [id, state] : executors_) {
      all = all && state.life == x.life && state.executed >= x.index;
      over = over || state.life > x.life;
    }
    if (over)
      out.outcomes_void.push_back(x.ticket);
    else if (all)
      out.outcomes_kept.push_back(x.ticket);
    return all || over;
  });
}

commit_index core::executed() const {
  if (executors_.empty()) return newest_;
  commit_index lowest{~std::uint64_t{0}};
  for (const auto& [id, state] : executors_) lowest = std::min(lowest, state.executed);
  return lowest;
}

commit_index core::snapshot() const {
  if (executors_.empty()) return {};
  commit_index lowest{~std::uint64_t{0}};
  for (const auto& [id, state] : executors_) lowest = std::min(lowest, state.snapshot);
  return lowest;
}

}  // namespace flamingo::worker
