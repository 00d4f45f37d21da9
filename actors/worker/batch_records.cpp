#include "actors/worker/batch_records.hpp"

#include <utility>

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

batch_records::committed_before batch_records::commit(const digest& id, commit_index index,
                                                      time_point now) {
  const auto found = records_.find(id);
  if (found == records_.end()) return {};
  batch_record& record = found->second;
  if (record.committed) {
    if (index <= *record.committed) return {};
    return {true, std::exchange(record.committed, index)};
  }
  record.committed = index;
  uncommitted_[record.author] -= cost_of(record);
  history_bytes_ += cost_of(record);
  file(id, record, now);
  return {true, {}};
}

batch_record& batch_records::committed(const digest& id) {
  const auto found = records_.find(id);
  FLAMINGO_ASSERT(found != records_.end() && found->second.committed);
  return found->second;
}

void batch_records::file(const digest& id, batch_record& record, time_point now) {
  record.filed = ++filings_;
  history_.emplace(record.filed, filed{id, now});
}

void batch_records::hold(const digest& id) {
  batch_record& record = committed(id);
  record.held = true;
  history_.erase(std::exchange(record.filed, 0));
}

void batch_records::list_again(const digest& id) {
  hold(id);
  batch_record& record = committed(id);
  if (std::exchange(record.listed_again, true)) return;
  uncommitted_[record.author] += cost_of(record);
  history_bytes_ -= cost_of(record);
}

void batch_records::release(const digest& id, time_point now) {
  batch_record& record = committed(id);
  FLAMINGO_ASSERT(record.held);
  record.held = false;
  if (std::exchange(record.listed_again, false)) {
    uncommitted_[record.author] -= cost_of(record);
    history_bytes_ += cost_of(record);
  }
  file(id, record, now);
}

void batch_records::give_up(const digest& id) {
  const auto found = records_.find(id);
  FLAMINGO_ASSERT(found != records_.end() && found->second.durable && !found->second.committed);
  uncommitted_[found->second.author] -= cost_of(found->second);
  records_.erase(found);
}

void batch_records::take_deletions(commit_index snapshot, time_point now,
                                   std::vector<deletion>& out) {
  while (!history_.empty()) {
    const filed& oldest = history_.begin()->second;
    const auto found = records_.find(oldest.id);
    const batch_record& record = found->second;
    if (*record.committed > snapshot || !record.durable) break;  // or its write is under way
    if (history_bytes_ <= with_.history_bytes && now - oldest.at < with_.history_retention) break;
    history_bytes_ -= cost_of(record);
    out.push_back({*record.committed, record.key(oldest.id)});
    records_.erase(found);
    history_.erase(history_.begin());
  }
}

}  // namespace flamingo::worker
