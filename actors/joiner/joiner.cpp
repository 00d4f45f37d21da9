#include "actors/joiner/joiner.hpp"

#include <algorithm>
#include <utility>

namespace flamingo::joiner {

parameters parameters::of(validator_id self, const committee& members,
                          const protocol_parameters& protocol, const local_parameters& local) {
  parameters x;
  x.self = self;
  x.validators = members.size();
  x.answers_needed = std::min(members.quorum(), members.size() - 1);
  x.round_limit = protocol.round_limit;
  x.retry = local.fetch_retry;
  return x;
}

core::core(const parameters& p)
    : parameters_(p),
      up_(p.validators),
      useless_(p.validators),
      punctual_(p.validators),
      patience_(p.retry) {
  for (std::uint16_t v = 0; v < p.validators; ++v) peers_.push_back(validator_id{v});
}

effects core::step(time_point now, input in) {
  now_ = now;
  effects out;
  if (phase_ == phase::done) return out;
  std::visit([&](auto&& x) { on(std::move(x), out); }, std::move(in));
  ask(out);
  return out;
}

void core::on(started, effects& out) {
  decide(out);
}

void core::on(link_restored in, effects&) {
  if (in.peer.value >= parameters_.validators || in.peer == parameters_.self) return;
  up_.add(in.peer);
  if (phase_ == phase::asking && !answers_.contains(in.peer)) ask_again_ = now_;
}

void core::on(link_lost in, effects&) {
  if (in.peer.value >= parameters_.validators) return;
  up_.remove(in.peer);
}

// -- where the others are

void core::ask_anew() {
  phase_ = phase::asking;
  answers_.clear();
  useless_ = dag::author_set(parameters_.validators);
  ask_again_ = now_ + parameters_.retry;
  target_.reset();
  ledger_.clear();
  ledger_source_.reset();
  missing_.clear();
  kept_ = 0;
}

void core::on(answer_received in, effects& out) {
  if (phase_ != phase::asking || in.from.value >= parameters_.validators) return;
  answer x{in.newest, std::nullopt};
  if (in.checkpoint) x.checkpoint = **in.checkpoint;
  answers_[in.from] = std::move(x);
  decide(out);
}

void core::decide(effects& out) {
  if (answers_.size() < parameters_.answers_needed) return;
  round_number newest;
  const checkpoint_summary* best = nullptr;
  for (const auto& [peer, x] : answers_) {
    newest = std::max(newest, x.newest);
    if (x.checkpoint && x.checkpoint->what.index > parameters_.have &&
        (best == nullptr || x.checkpoint->what.index > best->index))
      best = &x.checkpoint->what;
  }
  // What this validator may have signed is at most that far ahead of what an honest one among the
  // answering has seen.
#if FLAMINGO_MUTANT_lost_store_signs_at_once
  newest = {};
#endif
  if (parameters_.lost) bar_ = newest + (2 + parameters_.round_limit);
  if (best != nullptr)
    begin(*best, out);
  else if (!parameters_.begun)
    end(out);
}

void core::begin(const checkpoint_summary& what, effects& out) {
  target_ = what;
  phase_ = phase::ledger;
  parameters_.begun = true;
  out.begin = true;
}

void core::end(effects& out) {
  phase_ = phase::done;
  deadline_.reset();
  out.done = finish{target_, bar_};
}

// -- what the checkpoint vouches for

void core::on(ledger_received in, effects& out) {
  if (phase_ != phase::ledger || in.from != ledger_source_ || in.part.index != target_->index ||
      in.part.offset != ledger_.size())
    return;
  if (in.part.bytes.empty() || ledger_.size() + in.part.bytes.size() > target_->ledger_bytes) {
    useless_.add(in.from);
    return ledger_anew();
  }
  ledger_.insert(ledger_.end(), in.part.bytes.begin(), in.part.bytes.end());
  ledger_due_.reset();
  if (ledger_.size() < target_->ledger_bytes) return;
  phase_ = phase::checking;
  out.check = true;
}

void core::ledger_anew() {
  phase_ = phase::ledger;
  ledger_.clear();
  ledger_source_.reset();
  ledger_due_.reset();
}

void core::on(ledger_checked in, effects&) {
  if (phase_ != phase::checking) return;
  if (!in.right) {
    useless_.add(*ledger_source_);
    return ledger_anew();
  }
  phase_ = phase::state;
  for (std::uint32_t first = 0; first < bucket_count; first += parameters_.range)
    missing_[first].count = parameters_.range;
}

/// Late answers are as good as others, and teach patience: with long ways all are late at first.
void core::on(state_received in, effects& out) {
  const auto found = missing_.find(in.first);
  if (phase_ != phase::state || found == missing_.end() || in.index != target_->index ||
      in.from.value >= parameters_.validators)
    return;
  const std::uint32_t wanted = found->second.count;
  if (in.what != state_received::outcome::right || in.count == 0 || in.count > wanted) {
    useless_.add(in.from);
    if (found->second.peer == in.from) found->second.peer.reset();
    return;
  }
  if (found->second.peer != in.from) patience_ = std::max(patience_, found->second.allowed);
  missing_.erase(found);
  out.keep = true;
  kept_ += in.count;
  // What did not fit: ranges of the size that did.
  for (std::uint32_t first = in.first + in.count; first < in.first + wanted; first += in.count)
    missing_[first].count = in.count;
  if (missing_.empty()) end(out);
}

// -- whom to ask

/// The most punctual of those that may have it; equals take turns.
/// @param but asked only if there is nobody else.
std::optional<validator_id> core::next_peer(std::optional<validator_id> but) {
  std::rotate(peers_.begin(), peers_.begin() + 1, peers_.end());
  const auto may = [&](validator_id v) { return up_.contains(v) && !useless_.contains(v); };
  const auto other = punctual_.best(peers_, [&](validator_id v) { return v != but && may(v); });
  return other ? other : punctual_.best(peers_, may);
}

void core::ask(effects& out) {
  deadline_.reset();
  // Nobody who is there has this checkpoint any more: there is a newer one.
  const bool fetching = phase_ == phase::ledger || phase_ == phase::state;
  if (fetching && !up_.empty() && up_.without(useless_).empty()) ask_anew();
  switch (phase_) {
    case phase::asking:
      return ask_where(out);
    case phase::ledger:
      return ask_ledger(out);
    case phase::state:
      return ask_state(out);
    case phase::checking:
    case phase::done:
      return;
  }
}

void core::ask_where(effects& out) {
  if (now_ >= ask_again_) {
    ask_again_ = now_ + parameters_.retry;
    up_.for_each([&](validator_id peer) {
      if (!answers_.contains(peer)) out.questions.push_back({peer, checkpoint_query{}});
    });
  }
  deadline_ = ask_again_;
}

/// Doubles: a way may be longer than anybody thought.
duration core::patience(unsigned asked) const {
  return std::min(patience_ * (std::int64_t{1} << std::min(asked, 5u)), most_patience());
}

void core::ask_ledger(effects& out) {
  if (ledger_due_ && now_ >= *ledger_due_) {
    ++ledger_late_;
    if (ledger_source_) punctual_.late(*ledger_source_);
    ledger_anew();
  }
  if (!ledger_due_) {
    if (!ledger_source_) ledger_source_ = next_peer();
    ledger_due_ = now_ + patience(ledger_late_);
    if (ledger_source_)
      out.questions.push_back({*ledger_source_, ledger_request{target_->index, ledger_.size()}});
  }
  deadline_ = ledger_due_;
}

void core::ask_state(effects& out) {
  std::size_t on_their_way = 0;
  for (auto& [first, x] : missing_) {
    if (!x.peer) continue;
    if (x.due > now_ && up_.contains(*x.peer)) {
      ++on_their_way;
      continue;
    }
    punctual_.late(*x.peer);
    x.late = std::exchange(x.peer, std::nullopt);
  }
  deadline_ = now_ + parameters_.retry;
  for (auto& [first, x] : missing_) {
    if (!x.peer) {
      if (on_their_way >= parameters_.window) break;
      x.peer = next_peer(x.late);
      if (!x.peer) return;
      ++on_their_way;
      x.allowed = patience(x.asked++);
      x.due = now_ + x.allowed;
      out.questions.push_back({*x.peer, state_request{target_->index, first, x.count}});
    }
    deadline_ = std::min(*deadline_, x.due);
  }
}

}  // namespace flamingo::joiner
