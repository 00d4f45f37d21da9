// The outputs of execution: values to other executors, result codes to the first masters of
// bundles, complete bundles to the workers (design: execution-layer load balancing, "Receipts").
#include "actors/executor/execution.hpp"

namespace flamingo::executor {

namespace {

/// The group for this batch and destination, which is mostly the one used last.
template <class Group>
Group* open_group(std::vector<Group>& groups, std::size_t last, executor_id to,
                  stream_position batch, stream_position (*batch_of)(const Group&)) {
  if (last < groups.size() && groups[last].to == to && batch_of(groups[last]) == batch)
    return &groups[last];
  return nullptr;
}

}  // namespace

void execution::push(std::uint8_t to, stream_position batch, std::uint32_t transaction,
                     std::uint64_t key, const byte* value, execution_outputs& out) {
  ++counts_.values_pushed;
  auto* group = open_group<pushed_to>(out.pushed, last_pushed_[to], executor_id{to}, batch,
                                      [](const pushed_to& x) { return x.values.batch; });
  if (!group) {
    last_pushed_[to] = out.pushed.size();
    group = &out.pushed.emplace_back();
    group->to = executor_id{to};
    group->values.batch = batch;
    group->values.from = settings_.self;
  }
  group->values.transactions.push_back(transaction);
  group->values.keys.push_back(key);
  group->values.values.insert(group->values.values.end(), value, value + values_.value_bytes());
}

void execution::answer(sub_dag_run& x, std::uint32_t bundle, stream_position batch,
                       std::uint32_t transaction, result_code code, execution_outputs& out) {
  const std::uint16_t first_master = x.bundles[bundle].first_master;
  if (first_master == settings_.self.value) {
    const std::uint64_t index = batch.value - x.stream.first_position.value + transaction;
    return set_code(x, bundle, static_cast<std::uint32_t>(index), code, out);
  }
  const executor_id to{first_master};
  auto* group = open_group<results_to>(out.results, last_results_[first_master], to, batch,
                                       [](const results_to& y) { return y.results.batch; });
  if (!group) {
    last_results_[first_master] = out.results.size();
    group = &out.results.emplace_back();
    group->to = to;
    group->results.batch = batch;
    group->results.from = settings_.self;
  }
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

}  // namespace flamingo::executor
