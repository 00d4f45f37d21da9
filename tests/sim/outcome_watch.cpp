#include "tests/sim/outcome_watch.hpp"

#include "storage/kv.hpp"

namespace flamingo::sim {

namespace {

using storage::number_at;

// A row of table `batches`: worker, kind, client, sequence.
constexpr byte outcome_row = 'o';
constexpr std::size_t kind_at = 2, client_at = 3, sequence_at = 7, row_bytes = 15;

}  // namespace

void outcome_watch::committed(const sequenced_sub_dag& x) {
  auto& owed = owed_[x.index];
  owed.clear();
  for (const auto& batch : x.batches)
    for (const auto& y : batch.bundles)
      if (y.what == verdict::fresh || y.what == verdict::expired)
        owed.emplace_back(y.client, y.sequence);
}

void outcome_watch::noted(byte_span key) {
  if (key.size() != row_bytes || key[kind_at] != outcome_row) return;
  kept_.emplace(client_id{number_at<std::uint32_t>(key, client_at)},
                bundle_sequence{number_at<std::uint64_t>(key, sequence_at)});
}

void outcome_watch::joined(commit_index at) {
  owed_.erase(owed_.begin(), owed_.upper_bound(at));
}

std::vector<owed_outcome> outcome_watch::passed_by(commit_index snapshot) {
  std::vector<owed_outcome> missing;
  const auto end = owed_.upper_bound(snapshot);
  for (auto at = owed_.begin(); at != end; ++at)
    for (const auto& x : at->second)
      if (!kept_.contains(x)) missing.push_back({at->first, x.first, x.second});
  owed_.erase(owed_.begin(), end);
  return missing;
}

}  // namespace flamingo::sim
