#include "actors/executor/assembly.hpp"

#include <algorithm>

#include "messages/assert.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo::executor {

namespace {

bool holds(byte_span packed, std::uint32_t transactions) {
  operation_reader reader(packed);
  std::uint32_t count = 0;
  while (reader.next()) ++count;
  return reader.well_formed() && count == transactions;
}

}  // namespace

bool assembly::beyond(commit_index index) const {
  return index > next_ + bounds_.sub_dags;
}

reject assembly::drop(commit_index index) {
  dropped_ = std::min(dropped_.value_or(index), index);
  return reject::too_many_pending;
}

std::optional<reject> assembly::add(const sequenced_sub_dag& from) {
  if (from.index < next_) return std::nullopt;
  if (beyond(from.index)) return drop(from.index);
  entry& x = waiting_[from.index];
  if (x.sequenced) return std::nullopt;
  x.sequenced = true;
  x.built.index = from.index;
  x.built.anchor_round = from.anchor_round;
  x.built.first_position = from.first_position;
  x.built.snapshot = from.snapshot;
  x.built.group = from.group;
  if (from.group.has(self_)) expect_bundles(x, from);
  // Each payload stands for itself: a bad one does not spoil the others.
  std::optional<reject> why;
  for (const auto& [view, frame] : x.early)
    if (const auto bad = fill(x, view, frame)) why = bad;
  x.early.clear();
  return why;
}

void assembly::expect_bundles(entry& x, const sequenced_sub_dag& from) {
  for (const sequenced_batch& batch : from.batches) {
    x.parts.push_back({batch.id, x.shape.size(), batch.bundles.size()});
    for (const sequenced_bundle& b : batch.bundles) {
      const bool fresh = b.what == verdict::fresh;
      x.shape.push_back(fresh && b.transactions > 0
                            ? static_cast<std::uint32_t>(x.built.bundles.size())
                            : unwanted);
      if (!fresh && b.what != verdict::expired) continue;
      x.built.bundles.push_back({b.client,
                                 b.sequence,
                                 b.id,
                                 batch.author,
                                 b.what,
                                 x.built.transactions,
                                 b.transactions,
                                 {}});
      if (!fresh || b.transactions == 0) continue;
      x.built.transactions += b.transactions;
      ++x.missing;
    }
  }
}

std::optional<reject> assembly::add(const payload_view& from, const shared_bytes& frame) {
  if (from.index < next_) return std::nullopt;
  if (beyond(from.index) || (from.index != next_ && bytes_ + frame.size() > bounds_.payload_bytes))
    return drop(from.index);
  entry& x = waiting_[from.index];
  if (!x.sequenced) {
    for (const auto& [view, held] : x.early)
      if (view.batch == from.batch && held.size() == frame.size()) return std::nullopt;
    x.early.emplace_back(from, frame);
  } else {
    const std::uint32_t missing = x.missing;
    if (const auto why = fill(x, from, frame)) return why;
    if (x.missing == missing) return std::nullopt;  // nothing of it was needed
  }
  x.bytes += frame.size();
  bytes_ += frame.size();
  return std::nullopt;
}

std::optional<reject> assembly::fill(entry& x, const payload_view& from,
                                     const shared_bytes& frame) {
  bool used = false;
  std::optional<reject> why;
  for (const part& batch : x.parts) {
    if (batch.batch != from.batch) continue;
    if (batch.bundles != from.bundles.size()) return reject::malformed;
    for (std::size_t i = 0; i < batch.bundles; ++i) {
      const std::uint32_t at = x.shape[batch.first_bundle + i];
      if (at == unwanted || from.bundles[i].empty()) continue;
      stream_bundle& bundle = x.built.bundles[at];
      if (!bundle.operations.empty()) continue;
      if (!holds(from.bundles[i], bundle.transactions)) {
        why = reject::malformed;
        continue;
      }
      bundle.operations = from.bundles[i];
      --x.missing;
      used = true;
    }
  }
  if (used) x.built.frames.push_back(frame);
  return why;
}

bool assembly::ready() const {
  if (waiting_.empty()) return false;
  const auto& [index, x] = *waiting_.begin();
  return index == next_ && x.sequenced && x.missing == 0;
}

const execution_group* assembly::next_group() const {
  if (waiting_.empty()) return nullptr;
  const auto& [index, x] = *waiting_.begin();
  return index == next_ && x.sequenced ? &x.built.group : nullptr;
}

assembled_sub_dag assembly::take() {
  FLAMINGO_ASSERT(ready());
  entry& x = waiting_.begin()->second;
  assembled_sub_dag out = std::move(x.built);
  bytes_ -= x.bytes;
  waiting_.erase(waiting_.begin());
  ++next_;
  return out;
}

}  // namespace flamingo::executor
