#include "actors/worker/batch_records.hpp"

#include "messages/assert.hpp"

namespace flamingo::worker {

namespace {

std::uint64_t cost_of(const batch_record& x) {
  return x.bytes + batch_records::overhead;
}

}  // namespace

void batch_records::add(const digest& id, const batch_record& record) {
  const bool is_new = records_.emplace(id, record).second;
  FLAMINGO_ASSERT(is_new);
  if (!record.committed) uncommitted_[record.author] += cost_of(record);
}

const batch_record& batch_records::durable(const digest& id) {
  const auto found = records_.find(id);
  FLAMINGO_ASSERT(found != records_.end());
  found->second.durable = true;
  return found->second;
}

bool batch_records::commit(const digest& id, commit_index index, time_point now) {
  const auto found = records_.find(id);
  if (found == records_.end() || found->second.committed) return false;
  batch_record& record = found->second;
  record.committed = index;
  uncommitted_[record.author] -= cost_of(record);
  history_bytes_ += cost_of(record);
  history_.push_back({index, id, now});
  return true;
}

void batch_records::give_up(const digest& id) {
  const auto found = records_.find(id);
  FLAMINGO_ASSERT(found != records_.end() && found->second.durable && !found->second.committed);
  uncommitted_[found->second.author] -= cost_of(found->second);
  records_.erase(found);
}

void batch_records::take_deletions(commit_index snapshot, time_point now,
                                   std::vector<deletion>& out) {
  while (!history_.empty() && history_.front().index <= snapshot) {
    const filed& oldest = history_.front();
    if (history_bytes_ <= with_.history_bytes && now - oldest.at < with_.history_retention) break;
    const auto found = records_.find(oldest.id);
    if (!found->second.durable) break;  // its write is under way
    history_bytes_ -= cost_of(found->second);
    out.push_back({oldest.index, found->second.key(oldest.id)});
    records_.erase(found);
    history_.pop_front();
  }
}

}  // namespace flamingo::worker
