#include "tests/sim/batch_watch.hpp"

#include <algorithm>
#include <set>

namespace flamingo::sim {

namespace {

using storage::number_at;

// A row of table `batches`: worker, kind, (of a committed one) commit, author, sequence, digest.
constexpr byte data_row = 'd', committed_row = 'c';
constexpr std::size_t kind_at = 2, author_at = 3, id_at = 13;

// Of table `executor`: kind, parity of the snapshot's number, executor.
constexpr byte marker_row = 0;
constexpr std::size_t executor_at = 2;

std::vector<byte> copy_of(byte_span x) {
  return {x.begin(), x.end()};
}

template <class Value>
std::optional<Value> found_in(const std::map<digest, Value>& all, const digest& id) {
  const auto found = all.find(id);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

void batch_watch::committed(const sequenced_sub_dag& x, time_point now) {
  anchor_ = std::max(anchor_, x.anchor_round);
  young_.emplace_back(now, anchor_);
  for (const auto& batch : x.batches) committed_.try_emplace(batch.id, output{x.index, now});
}

void batch_watch::acknowledged(const digest& batch, time_point now) {
  while (!young_.empty() && young_.front().first + hearing <= now) {
    heard_ = young_.front().second;
    young_.pop_front();
  }
  acknowledged_[batch] = heard_;
}

void batch_watch::voted(round_number round, const std::vector<digest>& payload) {
  for (const auto& id : payload) voted_[id] = std::max(voted_[id], round);
}

void batch_watch::put_executor_row(byte_span key, byte_span value) {
  if (key[0] != marker_row) return;
  if (const auto marker = executor::decode_marker(value))
    markers_[copy_of(key)] = {executor_id{number_at<std::uint16_t>(key, executor_at)}, *marker};
}

void batch_watch::erase_executor_row(byte_span key) {
  markers_.erase(copy_of(key));
}

void batch_watch::erase_executor_rows(byte_span first) {
  if (first[0] == marker_row) markers_.clear();
}

commit_index batch_watch::snapshot() const {
  std::vector<executor::found_marker> all;
  for (const auto& [at, marker] : markers_) all.push_back(marker);
  const auto newest = executor::newest_complete(all);
  return newest ? newest->index : commit_index{};
}

checkers::deleted_batch batch_watch::facts_of(const digest& batch, time_point now) const {
  checkers::deleted_batch x;
  x.id = batch;
  x.anchor = anchor_;
  x.snapshot = snapshot();
  if (const auto at = found_in(committed_, batch)) {
    x.committed = at->by;
    x.committed_since = now - at->at;
  }
  x.acknowledged = found_in(acknowledged_, batch);
  x.voted = found_in(voted_, batch).value_or(round_number{});
  return x;
}

std::vector<checkers::deleted_batch> batch_watch::deleted(const storage::write_batch& changes,
                                                          time_point now, duration history) const {
  std::map<digest, validator_id> gone;  // with their authors
  std::set<digest> filed;               // those that were filed under a commit
  for (const auto& x : changes.operations()) {
    if (x.what != storage::write_batch::kind::erase || x.where != storage::table::batches) continue;
    const byte_span key = x.first;
    if (key.size() < id_at + digest::size) continue;
    digest id;
    std::copy_n(key.end() - digest::size, digest::size, id.bytes.begin());
    if (key[kind_at] == data_row) gone[id] = validator_id{number_at<std::uint16_t>(key, author_at)};
    if (key[kind_at] == committed_row) filed.insert(id);
  }
  std::vector<checkers::deleted_batch> out;
  for (const auto& [id, author] : gone) {
    auto& x = out.emplace_back(facts_of(id, now));
    x.author = author;
    x.history = history;
    x.as_orphan = !filed.contains(id);
  }
  return out;
}

}  // namespace flamingo::sim
