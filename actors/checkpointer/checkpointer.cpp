#include "actors/checkpointer/checkpointer.hpp"

#include <algorithm>

namespace flamingo::checkpointer {

parameters parameters::of(const committee& members, const protocol_parameters& protocol,
                          const local_parameters& local) {
  return {members.size(), members.validity(), protocol.checkpoint_anchors,
          local.checkpoint_bytes_per_second};
}

effects core::step(time_point now, const input& in) {
  now_ = now;
  effects out;
  std::visit([&](const auto& x) { on(x, out); }, in);
  return out;
}

void core::on(const started&, effects& out) {
  out.diverged = diverged_;
}

/// Nothing for a checkpoint that is over, or older than all that are looked at.
core::entry* core::at(commit_index index) {
  if (proven_ && index <= proven_->what.index) return nullptr;
  if (open_.size() >= open_max && !open_.contains(index)) {
    if (index < open_.begin()->first) return nullptr;
    open_.erase(open_.begin());
  }
  return &open_[index];
}

void core::on(const ledger_written& in, effects& out) {
  if (entry* x = at(in.index)) {
    x->ledger = in;
    sign_if_known(in.index, *x, out);
  }
}

void core::on(const root_known& in, effects& out) {
  entry* x = at(in.index);
  if (x == nullptr || x->root) return;
  x->root = in.root;
  sign_if_known(in.index, *x, out);
}

void core::sign_if_known(commit_index index, const entry& x, effects& out) const {
  if (!x.ledger || !x.root || x.own) return;
  out.sign = checkpoint_summary{index, *x.root, x.ledger->ledger, x.ledger->bytes};
}

void core::on(const summary_signed& in, effects& out) {
  entry* x = at(in.what.index);
  if (x == nullptr || x->own) return;
  x->own = in.what;
  x->own_digest = in.record.state;
  out.offer = in.record;
  judge(in.what.index, *x, out);
}

void core::on(const record_committed& in, effects& out) {
  const commit_index index = in.record->index;
  if (index >= in.in || index.value % parameters_.checkpoint_anchors != 0)
    return out.rejected.push_back(reject::bad_control_record);
  entry* x = at(index);
  if (x == nullptr || !x->said.emplace(in.author, *in.record).second) return;
  judge(index, *x, out);
}

void core::on(const part_asked& in, effects& out) {
  if (in.from.value >= serving_.size()) return out.rejected.push_back(reject::unknown_validator);
  out.serve = serving_[in.from.value].take(in.bytes, now_);
  if (!out.serve) out.rejected.push_back(reject::too_many_requests);
}

/// f+1 equal ones, one of which is honest, say what is right.
void core::judge(commit_index index, const entry& x, effects& out) {
  if (!x.own || diverged_) return;
  std::map<digest, std::size_t> votes;
  for (const auto& [author, record] : x.said) ++votes[record.state];
  const auto right = std::find_if(votes.begin(), votes.end(),
                                  [&](const auto& y) { return y.second >= parameters_.validity; });
  if (right == votes.end()) return;
  if (right->first != x.own_digest) {
    out.diverged = diverged_ = divergence{index, x.own_digest, right->first};
    return;
  }
  checkpoint_proof proof{*x.own, {}};
  for (const auto& [author, record] : x.said)
    if (record.state == right->first && proof.signatures.size() < parameters_.validity)
      proof.signatures.emplace_back(author, record.sig);
  proven_ = proof;
  out.proven = std::move(proof);
  open_.erase(open_.begin(), open_.upper_bound(index));
}

}  // namespace flamingo::checkpointer
