// What the roles of one validator tell each other. They trust each other; but a decoder that reads
// beyond its bytes is a fault wherever the bytes come from. An input's first byte chooses the kind.
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_executor.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_validator.hpp"
#include "messages/codec_worker.hpp"
#include "tests/fuzz/start_from.hpp"

using namespace flamingo;

namespace {

using values =
    std::tuple<sequenced_sub_dag, commit_notice, commit_signals, evidence_report, pushed_values,
               reported_results, executed_bundles, state_leaves, execution_progress, commit_control,
               assignment_update, batch_available, availability_question, batch_index, ledger_made,
               requested_values, snapshot_chunk, snapshot_wanted, snapshot_part>;
constexpr std::size_t kinds = std::tuple_size_v<values>;

values filled() {
  values x;
  std::get<sequenced_sub_dag>(x).batches = {
      {{}, {}, {}, {{client_id{5}, bundle_sequence{9}, {}, verdict::fresh, 500}}}};
  auto& push = std::get<pushed_values>(x);
  push.transactions = {1, 2};
  push.keys = {3, 4};
  push.values.assign(32, byte{7});
  std::get<requested_values>(x).transactions = {0, 9};
  auto& results = std::get<reported_results>(x);
  results.transactions = {0, 9};
  results.codes = {result_code::applied, result_code::overdrawn};
  auto& executed = std::get<executed_bundles>(x);
  executed.results = {0, 1, 2};
  executed.bundles = {{client_id{4}, bundle_sequence{7}, {}, validator_id{2}, 0, 3}};
  auto& leaves = std::get<state_leaves>(x);
  leaves.buckets = {0, 7};
  leaves.hashes.resize(2);
  std::get<ledger_made>(x).ledger = {1, 2, 3};
  auto& chunk = std::get<snapshot_chunk>(x);
  chunk.buckets = {1, 9};
  chunk.ends = {3, 5};
  chunk.empty = {9};
  chunk.bytes = {1, 2, 3, 4, 5};
  std::get<snapshot_part>(x).buckets = {{1, 0, 3}, {9, 0, 4}};
  return x;
}

template <class Value>
using wire_of = decltype(encode(std::declval<const Value&>()));

template <std::size_t... I>
std::vector<std::vector<std::uint8_t>> examples_of(std::index_sequence<I...>) {
  const auto all = filled();
  return {fuzz::example(I, encode(std::get<I>(all)).bytes())...};
}

std::vector<std::vector<std::uint8_t>> make_examples() {
  return examples_of(std::make_index_sequence<kinds>());
}

template <std::size_t I>
void read(const shared_bytes& bytes) {
  const auto value = decode(wire_of<std::tuple_element_t<I, values>>(bytes));
  if (value) FLAMINGO_ASSERT(decode(encode(*value)).has_value());
}

template <std::size_t... I>
void read(std::size_t kind, const shared_bytes& bytes, std::index_sequence<I...>) {
  ((kind == I ? read<I>(bytes) : void()), ...);
}

}  // namespace

FLAMINGO_FUZZ_FROM(make_examples)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  read(data[0] % kinds, fuzz::frame_of(data, size), std::make_index_sequence<kinds>());
  return 0;
}
