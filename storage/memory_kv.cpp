#include "storage/memory_kv.hpp"

#include <algorithm>

#include "storage/flatten.hpp"

namespace flamingo::storage {

namespace {

/// With one part for each value, so that both maps can share it.
write_batch flat(write_batch changes) {
  const auto& all = changes.operations();
  if (std::all_of(all.begin(), all.end(), [](const write_batch::operation& x) {
        return x.what != write_batch::kind::put || x.value.size() == 1;
      }))
    return changes;
  write_batch result;
  for (const auto& x : all) {
    if (x.what == write_batch::kind::put)
      result.put(x.where, x.first, shared_bytes(flatten(x.value)));
    else if (x.what == write_batch::kind::erase)
      result.erase(x.where, x.first);
    else
      result.erase_range(x.where, x.first, x.last);
  }
  return result;
}

}  // namespace

void memory_kv::apply(const write_batch& changes, rows& to) {
  // Where the row before ended: rows that follow each other, as those of a snapshot, are not
  // searched for.
  std::map<key, shared_bytes>* in = nullptr;
  std::map<key, shared_bytes>::iterator next;
  const auto find = [&](const write_batch::operation& x) {
    auto& rows = to[static_cast<std::size_t>(x.where)];
    const bool follows = in == &rows &&
                         (next == rows.begin() || std::prev(next)->first < x.first) &&
                         (next == rows.end() || x.first <= next->first);
    if (!follows) next = rows.lower_bound(x.first);
    in = &rows;
    return next != rows.end() && next->first == x.first;
  };
  for (const auto& x : changes.operations()) {
    const bool found = find(x);
    switch (x.what) {
      case write_batch::kind::put:
        if (found)
          (next++)->second = x.value.front();
        else
          in->emplace_hint(next, x.first, x.value.front());
        break;
      case write_batch::kind::erase:
        if (found) next = in->erase(next);
        break;
      case write_batch::kind::erase_range:
        if (x.first < x.last) next = in->erase(next, in->lower_bound(x.last));
        break;
    }
  }
}

void memory_kv::write(write_batch changes, durable_callback on_durable) {
  FLAMINGO_ASSERT(!scanning_);
  if (stopped_) {
    if (on_durable)
      on_durable({failure::stopped, "the simulated store was stopped: open it again"});
    return;
  }
  changes = flat(std::move(changes));
  if (failed_.ok()) apply(changes, submitted_);
  queued_bytes_ += changes.bytes();
  pending_.push_back({std::move(changes), std::move(on_durable)});
  if (settings_.on_pending) settings_.on_pending();
}

std::optional<std::vector<char>> memory_kv::get(table where, const key& at) {
  if (stopped_) throw error("the simulated store was stopped: open it again");
  const auto& row = submitted_[static_cast<std::size_t>(where)];
  const auto found = row.find(at);
  if (found == row.end()) return std::nullopt;
  const byte_span bytes = found->second;
  return std::vector<char>(bytes.begin(), bytes.end());
}

void memory_kv::scan(table where, const key& first, const key& last, const visitor& visit) {
  if (stopped_) throw error("the simulated store was stopped: open it again");
  const auto& row = submitted_[static_cast<std::size_t>(where)];
  scanning_ = true;
  for (auto it = row.lower_bound(first); it != row.end() && it->first < last; ++it)
    if (!visit(it->first, it->second)) break;
  scanning_ = false;
}

statistics memory_kv::stats() const {
  statistics result = counted_;
  result.queued_bytes = queued_bytes_;
  for (const auto& row : durable_)
    for (const auto& [at, value] : row) result.used_bytes += at.size() + value.size();
  result.file_bytes = result.used_bytes;
  result.capacity_bytes = std::numeric_limits<std::uint64_t>::max();
  return result;
}

void memory_kv::stop() {
  if (stopped_) return;
  while (!pending_.empty()) sync();
  stopped_ = true;
}

void memory_kv::sync(std::size_t count, const observer& see) {
  count = std::min(count, pending_.size());
  if (count == 0) return;
  if (failed_.ok() && !refuses_.ok()) {
    failed_ = refuses_;
    submitted_ = durable_;
  }
  std::vector<waiting> synced;
  for (; count > 0; --count) {
    waiting next = std::move(pending_.front());
    pending_.pop_front();
    queued_bytes_ -= next.changes.bytes();
    if (failed_.ok()) {
      apply(next.changes, durable_);
      ++counted_.writes;
      counted_.bytes += next.changes.bytes();
    }
    synced.push_back(std::move(next));
  }
  if (failed_.ok()) ++counted_.syncs;
  const auto life = life_;
  for (const waiting& x : synced) {
    if (see && failed_.ok()) see(x.changes);
    if (x.on_durable) x.on_durable(failed_);
    if (life != life_) return;
  }
}

void memory_kv::crash() {
  ++life_;
  pending_.clear();
  queued_bytes_ = 0;
  reopen();
}

void memory_kv::fail(failure why) {
  refuses_ = {why, "the simulated disk refuses to write: repair it and start again"};
}

void memory_kv::repair() {
  refuses_ = {};
}

void memory_kv::reopen() {
  FLAMINGO_ASSERT(pending_.empty());
  submitted_ = durable_;
  failed_ = {};
  stopped_ = false;
}

}  // namespace flamingo::storage
