#include "tests/sim/byzantine/copier.hpp"

namespace flamingo::sim::byzantine {

namespace {

constexpr std::size_t remembered = 256;      // bundles
constexpr std::uint64_t batches_a_copy = 3;  // heard for each that it makes
constexpr std::size_t bundles_a_copy = 4;

}  // namespace

copier::copier(const insider& who)
    : rewriter(who, all_of(who)),
      checks_(who.members, std::make_shared<crypto::fake_scheme>(),
              {who.protocol.max_bundle_bytes, who.protocol.max_transactions_per_bundle}) {}

void copier::hears(link::peer from, const worker_frame& x) {
  const auto message = decode(x, who_.limits_of_batches());
  if (!message) return;
  if (const auto* batch = std::get_if<batch_view>(&*message)) {
    keep_bundles(*batch);
    if (++heard_ % batches_a_copy == 0) seal(batch->worker);
  } else if (const auto* stored = std::get_if<batch_stored>(&*message)) {
    const auto found = copies_.find(stored->batch);
    if (found == copies_.end()) return;
    auto& by = found->second.stored_by;
    // The voters need it, and it does not store it itself.
    if (by.insert(validator_of(from)).second && by.size() == who_.members->quorum())
      ready_.push_back(stored->batch);
  }
}

void copier::keep_bundles(const batch_view& batch) {
  for (const auto& bundle : batch.bundles) {
    auto checked = checks_.check(bundle);
    if (const auto* good = std::get_if<verified<checked_bundle>>(&checked))
      bundles_.push_back(**good);
    if (bundles_.size() > remembered)
      bundles_.erase(bundles_.begin() + static_cast<std::ptrdiff_t>(who_.random.below(remembered)));
  }
}

void copier::seal(worker_id worker) {
  if (bundles_.empty()) return;
  std::vector<checked_bundle> chosen;
  const auto most = std::min<std::size_t>(who_.protocol.max_bundles_per_batch, bundles_a_copy);
  for (auto n = who_.random.between(1, most); n > 0; --n)
    chosen.push_back(bundles_[who_.random.below(bundles_.size())]);
  // Far from the numbers of its worker, which goes on from the highest that it hears of.
  const batch_sequence sequence{(std::uint64_t{1} << 40) + (++sealed_ << 20)};
  const auto batch = checks_.seal(who_.self, worker, sequence, chosen);
  copies_[batch.id].entry = {batch.id, worker, batch.transactions, batch.counts_digest,
                             batch.counts};
  for (const auto to : who_.others()) send_to_workers(to, worker_frame(batch.frame));
}

bool copier::change(header& x) {
  bool changed = false;
  while (!ready_.empty() && x.payload.size() < who_.protocol.max_payload_entries) {
    const bool again = who_.random.chance(200);  // the same batch in a later header, too
    x.payload.push_back(copies_.at(ready_.front()).entry);
    if (again) ready_.push_back(ready_.front());
    ready_.pop_front();
    changed = true;
    if (again) break;
  }
  return changed;
}

}  // namespace flamingo::sim::byzantine
