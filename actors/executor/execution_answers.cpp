// The outputs of execution: values to other executors, result codes to the first masters of
// bundles, complete bundles to the workers (design: execution-layer load balancing, "Receipts").
#include <utility>

#include "actors/executor/execution.hpp"

namespace flamingo::executor {

namespace {

stream_position batch_of(const pushed_to& x) {
  return x.values.batch;
}
stream_position batch_of(const requested_to& x) {
  return x.request.batch;
}
stream_position batch_of(const results_to& x) {
  return x.results.batch;
}

/// The group for this batch and destination, or nothing.
template <class Group>
Group* open_group(std::vector<Group>& groups, std::uint32_t place, executor_id to,
                  stream_position batch) {
  if (place < groups.size() && groups[place].to == to && batch_of(groups[place]) == batch)
    return &groups[place];
  return nullptr;
}

}  // namespace

void execution::push(std::uint8_t to, stream_position batch, std::uint32_t transaction,
                     std::uint64_t key, const byte* value, execution_outputs& out) {
  ++counts_.values_pushed;
  std::uint32_t& place = value_groups_[to].of(batch);
  pushed_to* group = open_group(out.pushed, place, executor_id{to}, batch);
  if (!group) {
    place = static_cast<std::uint32_t>(out.pushed.size());
    const std::size_t expected = std::exchange(value_groups_[to].expected, 0);
    group = &out.pushed.emplace_back();
    group->to = executor_id{to};
    group->values.batch = batch;
    group->values.from = settings_.self;
    group->values.transactions.reserve(expected);
    group->values.keys.reserve(expected);
    group->values.values.reserve(expected * values_.value_bytes());
  }
  ++value_groups_[to].expected;
  group->values.transactions.push_back(transaction);
  group->values.keys.push_back(key);
  group->values.values.insert(group->values.values.end(), value, value + values_.value_bytes());
}

void execution::request(std::uint8_t owner, std::uint32_t transaction, execution_outputs& out) {
  std::uint32_t& place = request_groups_[owner].of(batch_);
  requested_to* group = open_group(out.requested, place, executor_id{owner}, batch_);
  if (!group) {
    place = static_cast<std::uint32_t>(out.requested.size());
    const std::size_t expected = std::exchange(request_groups_[owner].expected, 0);
    group = &out.requested.emplace_back();
    group->to = executor_id{owner};
    group->request.batch = batch_;
    group->request.from = settings_.self;
    group->request.transactions.reserve(expected);
  }
  std::vector<std::uint32_t>& asked = group->request.transactions;
  if (!asked.empty() && asked.back() == transaction) return;  // for another of its keys
  ++request_groups_[owner].expected;
  asked.push_back(transaction);
}

void execution::answer(sub_dag_run& x, std::uint32_t bundle, stream_position batch,
                       std::uint32_t transaction, result_code code, execution_outputs& out) {
  const std::uint16_t to = x.bundles[bundle].first_master;
  if (to == settings_.self.value) {
    const std::uint64_t index = batch.value - x.stream.first_position.value + transaction;
    return set_code(x, bundle, static_cast<std::uint32_t>(index), code, out);
  }
  std::uint32_t& place = result_groups_[to].of(batch);
  results_to* group = open_group(out.results, place, executor_id{to}, batch);
  if (!group) {
    place = static_cast<std::uint32_t>(out.results.size());
    const std::size_t expected = std::exchange(result_groups_[to].expected, 0);
    group = &out.results.emplace_back();
    group->to = executor_id{to};
    group->results.batch = batch;
    group->results.from = settings_.self;
    group->results.transactions.reserve(expected);
    group->results.codes.reserve(expected);
  }
  ++result_groups_[to].expected;
  group->results.transactions.push_back(transaction);
  group->results.codes.push_back(code);
}

void execution::set_code(sub_dag_run& x, std::uint32_t bundle, std::uint32_t index,
                         result_code code, execution_outputs& out) {
  bundle_run& state = x.bundles[bundle];
  if (x.codes[index] != unknown_code || state.first_master != settings_.self.value) {
    ++counts_.unexpected;
    return;
  }
  x.codes[index] = static_cast<byte>(code);
  if (--state.remaining != 0) return;
  --x.unanswered;
  const stream_bundle& done = x.stream.bundles[bundle];
  emit(x, bundle, byte_span(x.codes).subspan(done.first, done.transactions), out);
}

void execution::answer_unexecuted(sub_dag_run& x, std::uint32_t bundle, execution_outputs& out) {
  // Nobody is the master of what is not executed: one executor of the group answers.
  const stream_bundle& y = x.stream.bundles[bundle];
  if (y.client.value % settings_.executors != settings_.self.value) return;
  const std::vector<byte> codes(y.what == verdict::expired ? y.transactions : 0,
                                static_cast<byte>(result_code::expired));
  emit(x, bundle, codes, out);
}

void execution::emit(const sub_dag_run& x, std::uint32_t bundle, byte_span codes,
                     execution_outputs& out) {
  const stream_bundle& from = x.stream.bundles[bundle];
  const worker_id to{static_cast<std::uint16_t>(from.client.value % settings_.workers)};
  executed_bundles* group = nullptr;
  for (executed_to& y : out.executed)
    if (y.to == to && y.bundles.index == x.stream.index) group = &y.bundles;
  if (!group) {
    out.executed.push_back({to, {x.stream.index, x.stream.anchor_round, {}, {}}});
    group = &out.executed.back().bundles;
  }
  group->bundles.push_back({from.client, from.sequence, from.id, from.author,
                            static_cast<std::uint32_t>(group->results.size()),
                            static_cast<std::uint32_t>(codes.size())});
  group->results.insert(group->results.end(), codes.begin(), codes.end());
}

std::optional<commit_index> execution::take_completed() {
  std::optional<commit_index> last;
  while (!open_.empty()) {
    const sub_dag_run& x = open_.front();
    if ((planning_ && open_.size() == 1) || x.steps != 0 || x.unanswered != 0) break;
    last = x.stream.index;
    open_.pop_front();
  }
  return last;
}

}  // namespace flamingo::executor
