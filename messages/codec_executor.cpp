#include "messages/codec_executor.hpp"

#include <bit>
#include <cstring>

#include "messages/codec_fields.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

static_assert(sizeof(result_code) == 1);

/// Decodes with `f(reader, value)`, which says whether the message is well-formed.
template <class Value, class Schema, class F>
std::optional<Value> decode_with(const wire<Schema>& frame, F f) {
  Value result;
  bool well_formed = false;
  if (!frame.read([&](typename Schema::Reader in) { well_formed = f(in, result); }) || !well_formed)
    return std::nullopt;
  return result;
}

template <class Number, class ListBuilder>
void write_numbers(const std::vector<Number>& from, ListBuilder into) {
  for (unsigned i = 0; i < from.size(); ++i) into.set(i, from[i]);
}

template <class Number, class ListReader>
void read_numbers(ListReader from, std::vector<Number>& into) {
  into.resize(from.size());
  for (unsigned i = 0; i < from.size(); ++i) into[i] = from[i];
}

capnp::Data::Reader data_of(const std::vector<byte>& x) {
  return {x.data(), x.size()};
}

unsigned count(std::size_t n) {
  return static_cast<unsigned>(n);
}

}  // namespace

// -- Pushed

wire<schema::Pushed> encode(const pushed_values& x) {
  capnp::MallocMessageBuilder message(
      count(x.keys.size() * 2 + x.values.size() / sizeof(capnp::word) + 16));
  auto out = message.initRoot<schema::Pushed>();
  out.setBatch(x.batch.value);
  out.setFrom(x.from.value);
  out.setExecuted(x.executed.value);
  out.setSnapshot(x.snapshot.value);
  out.setSnapshotAt(x.snapshot_at.value);
  write_numbers(x.transactions, out.initTransactions(count(x.transactions.size())));
  write_numbers(x.keys, out.initKeys(count(x.keys.size())));
  out.setValues(data_of(x.values));
  return wire<schema::Pushed>(message);
}

std::optional<pushed_values> decode(const wire<schema::Pushed>& frame) {
  return decode_with<pushed_values>(frame, [](schema::Pushed::Reader in, pushed_values& x) {
    x.batch = stream_position{in.getBatch()};
    x.from = executor_id{in.getFrom()};
    x.executed = commit_index{in.getExecuted()};
    x.snapshot = commit_index{in.getSnapshot()};
    x.snapshot_at = commit_index{in.getSnapshotAt()};
    const auto transactions = in.getTransactions();
    const auto keys = in.getKeys();
    const auto values = in.getValues();
    if (transactions.size() != keys.size()) return false;
    // The core knows the size of a value; here it must divide evenly.
    if (keys.size() == 0 ? values.size() != 0
                         : values.size() == 0 || values.size() % keys.size() != 0)
      return false;
    read_numbers(transactions, x.transactions);
    read_numbers(keys, x.keys);
    x.values.assign(values.begin(), values.end());
    return true;
  });
}

// -- Results

wire<schema::Results> encode(const reported_results& x) {
  capnp::MallocMessageBuilder message(count(x.codes.size() + 16));
  auto out = message.initRoot<schema::Results>();
  out.setBatch(x.batch.value);
  out.setFrom(x.from.value);
  write_numbers(x.transactions, out.initTransactions(count(x.transactions.size())));
  out.setCodes({reinterpret_cast<const byte*>(x.codes.data()), x.codes.size()});
  return wire<schema::Results>(message);
}

std::optional<reported_results> decode(const wire<schema::Results>& frame) {
  return decode_with<reported_results>(frame, [](schema::Results::Reader in, reported_results& x) {
    x.batch = stream_position{in.getBatch()};
    x.from = executor_id{in.getFrom()};
    const auto transactions = in.getTransactions();
    const auto codes = in.getCodes();
    if (transactions.size() != codes.size()) return false;
    read_numbers(transactions, x.transactions);
    x.codes.resize(codes.size());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (!is_result_code(codes[i])) return false;
      x.codes[i] = static_cast<result_code>(codes[i]);
    }
    return true;
  });
}

// -- Executed

wire<schema::Executed> encode(const executed_bundles& x) {
  capnp::MallocMessageBuilder message(count(x.bundles.size() * 12 + x.results.size() / 8 + 16));
  auto out = message.initRoot<schema::Executed>();
  out.setIndex(x.index.value);
  out.setAnchorRound(x.anchor_round.value);
  auto bundles = out.initBundles(count(x.bundles.size()));
  for (unsigned i = 0; i < x.bundles.size(); ++i) {
    const auto& from = x.bundles[i];
    auto into = bundles[i];
    into.setClient(from.client.value);
    into.setSequence(from.sequence.value);
    into.setDigest(data_of(from.id));
    into.setAuthor(from.author.value);
    const byte_span codes = x.results_of(from);
    into.setResults({codes.data(), codes.size()});
  }
  return wire<schema::Executed>(message);
}

std::optional<executed_bundles> decode(const wire<schema::Executed>& frame) {
  return decode_with<executed_bundles>(frame, [](schema::Executed::Reader in, executed_bundles& x) {
    x.index = commit_index{in.getIndex()};
    x.anchor_round = round_number{in.getAnchorRound()};
    const auto bundles = in.getBundles();
    x.bundles.resize(bundles.size());
    for (unsigned i = 0; i < bundles.size(); ++i) {
      auto& into = x.bundles[i];
      const auto codes = bundles[i].getResults();
      for (const byte code : codes)
        if (!is_result_code(code)) return false;
      into.client = client_id{bundles[i].getClient()};
      into.sequence = bundle_sequence{bundles[i].getSequence()};
      into.author = validator_id{bundles[i].getAuthor()};
      if (!read_fixed(bundles[i].getDigest(), into.id)) return false;
      into.first = static_cast<std::uint32_t>(x.results.size());
      into.transactions = static_cast<std::uint32_t>(codes.size());
      x.results.insert(x.results.end(), codes.begin(), codes.end());
    }
    return true;
  });
}

// -- Leaves

wire<schema::Leaves> encode(const state_leaves& x) {
  capnp::MallocMessageBuilder message(count(x.buckets.size() * 5 + 16));
  auto out = message.initRoot<schema::Leaves>();
  out.setExecutor(x.executor.value);
  out.setIndex(x.index.value);
  write_numbers(x.buckets, out.initBuckets(count(x.buckets.size())));
  auto hashes = out.initHashes(count(x.hashes.size() * digest::size));
  for (std::size_t i = 0; i < x.hashes.size(); ++i)
    std::memcpy(hashes.begin() + i * digest::size, x.hashes[i].bytes.data(), digest::size);
  return wire<schema::Leaves>(message);
}

std::optional<state_leaves> decode(const wire<schema::Leaves>& frame) {
  return decode_with<state_leaves>(frame, [](schema::Leaves::Reader in, state_leaves& x) {
    x.executor = executor_id{in.getExecutor()};
    x.index = commit_index{in.getIndex()};
    const auto buckets = in.getBuckets();
    const auto hashes = in.getHashes();
    if (hashes.size() != buckets.size() * digest::size) return false;
    read_numbers(buckets, x.buckets);
    for (std::size_t i = 1; i < x.buckets.size(); ++i)
      if (x.buckets[i - 1] >= x.buckets[i]) return false;
    x.hashes.resize(buckets.size());
    for (std::size_t i = 0; i < x.hashes.size(); ++i)
      std::memcpy(x.hashes[i].bytes.data(), hashes.begin() + i * digest::size, digest::size);
    return true;
  });
}

// -- Progress

wire<schema::Progress> encode(const execution_progress& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::Progress>();
  out.setExecutor(x.executor.value);
  out.setIndex(x.index.value);
  out.setExecuted(x.executed);
  out.setSnapshot(x.snapshot.value);
  if (x.state_root) out.setStateRoot(data_of(*x.state_root));
  out.setStateRootIndex(x.state_root_index.value);
  return wire<schema::Progress>(message);
}

std::optional<execution_progress> decode(const wire<schema::Progress>& frame) {
  return decode_with<execution_progress>(
      frame, [](schema::Progress::Reader in, execution_progress& x) {
        x.executor = executor_id{in.getExecutor()};
        x.index = commit_index{in.getIndex()};
        x.executed = in.getExecuted();
        x.snapshot = commit_index{in.getSnapshot()};
        x.state_root_index = commit_index{in.getStateRootIndex()};
        if (in.getStateRoot().size() == 0) return true;
        return read_fixed(in.getStateRoot(), x.state_root.emplace());
      });
}

}  // namespace flamingo
