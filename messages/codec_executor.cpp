#include "messages/codec_executor.hpp"

#include <bit>
#include <cstring>
#include <utility>

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
  out.setHandover(x.handover);
  out.setPart(x.part);
  out.setParts(x.parts);
  out.setSnapshots(x.snapshots);
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
    x.handover = in.getHandover();
    x.part = in.getPart();
    x.parts = in.getParts();
    x.snapshots = in.getSnapshots();
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

// -- Requested

wire<schema::Requested> encode(const requested_values& x) {
  capnp::MallocMessageBuilder message(count(x.transactions.size() / 2 + 16));
  auto out = message.initRoot<schema::Requested>();
  out.setBatch(x.batch.value);
  out.setFrom(x.from.value);
  write_numbers(x.transactions, out.initTransactions(count(x.transactions.size())));
  return wire<schema::Requested>(message);
}

std::optional<requested_values> decode(const wire<schema::Requested>& frame) {
  return decode_with<requested_values>(frame,
                                       [](schema::Requested::Reader in, requested_values& x) {
                                         x.batch = stream_position{in.getBatch()};
                                         x.from = executor_id{in.getFrom()};
                                         read_numbers(in.getTransactions(), x.transactions);
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
  out.setLife(x.life);
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
        x.life = in.getLife();
        if (in.getStateRoot().size() == 0) return true;
        return read_fixed(in.getStateRoot(), x.state_root.emplace());
      });
}

// -- snapshots

wire<schema::SnapshotChunk> encode(const snapshot_chunk& x) {
  capnp::MallocMessageBuilder message(
      count((x.bytes.size() + x.buckets.size() * 6) / sizeof(capnp::word) + 32));
  auto out = message.initRoot<schema::SnapshotChunk>();
  out.setExecutor(x.executor.value);
  out.setNumber(x.number);
  out.setIndex(x.index.value);
  out.setExecutors(x.executors);
  out.setValueBytes(x.value_bytes);
  out.setFirst(x.first);
  out.setLast(x.last);
  write_numbers(x.buckets, out.initBuckets(count(x.buckets.size())));
  write_numbers(x.ends, out.initEnds(count(x.ends.size())));
  write_numbers(x.empty, out.initEmpty(count(x.empty.size())));
  out.setBytes({reinterpret_cast<const byte*>(x.bytes.data()), x.bytes.size()});
  return wire<schema::SnapshotChunk>(message);
}

std::optional<snapshot_chunk> decode(const wire<schema::SnapshotChunk>& frame) {
  return decode_with<snapshot_chunk>(
      frame, [](schema::SnapshotChunk::Reader in, snapshot_chunk& x) {
        x.executor = executor_id{in.getExecutor()};
        x.number = in.getNumber();
        x.index = commit_index{in.getIndex()};
        x.executors = in.getExecutors();
        x.value_bytes = in.getValueBytes();
        x.first = in.getFirst();
        x.last = in.getLast();
        read_numbers(in.getBuckets(), x.buckets);
        read_numbers(in.getEnds(), x.ends);
        read_numbers(in.getEmpty(), x.empty);
        const auto bytes = in.getBytes();
        x.bytes.assign(bytes.begin(), bytes.end());
        // Each bucket has its bytes, one after another.
        std::uint32_t at = 0;
        for (const std::uint32_t end : x.ends)
          if (end < std::exchange(at, end)) return false;
        return x.ends.size() == x.buckets.size() && at == x.bytes.size();
      });
}

wire<schema::SnapshotWanted> encode(const snapshot_wanted& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::SnapshotWanted>();
  out.setExecutor(x.executor.value);
  out.setExecutors(x.executors);
  out.setIndex(x.index.value);
  out.setFirst(x.first);
  return wire<schema::SnapshotWanted>(message);
}

std::optional<snapshot_wanted> decode(const wire<schema::SnapshotWanted>& frame) {
  return decode_with<snapshot_wanted>(frame,
                                      [](schema::SnapshotWanted::Reader in, snapshot_wanted& x) {
                                        x = {executor_id{in.getExecutor()}, in.getExecutors(),
                                             commit_index{in.getIndex()}, in.getFirst()};
                                        return true;
                                      });
}

wire<schema::SnapshotPart> encode(const snapshot_part& x) {
  std::size_t bytes = 0;
  for (const auto& bucket : x.buckets) bytes += bucket.size() + 2 * sizeof(capnp::word);
  capnp::MallocMessageBuilder message(count(bytes / sizeof(capnp::word) + 32));
  auto out = message.initRoot<schema::SnapshotPart>();
  out.setIndex(x.index.value);
  out.setNumber(x.number);
  out.setValueBytes(x.value_bytes);
  out.setNext(x.next);
  auto buckets = out.initBuckets(count(x.buckets.size()));
  for (unsigned i = 0; i < x.buckets.size(); ++i) buckets.set(i, data_of(x.buckets[i]));
  return wire<schema::SnapshotPart>(message);
}

std::optional<snapshot_part> decode(const wire<schema::SnapshotPart>& frame) {
  return decode_with<snapshot_part>(frame, [](schema::SnapshotPart::Reader in, snapshot_part& x) {
    x.index = commit_index{in.getIndex()};
    x.number = in.getNumber();
    x.value_bytes = in.getValueBytes();
    x.next = in.getNext();
    for (const auto bucket : in.getBuckets()) x.buckets.emplace_back(bucket.begin(), bucket.end());
    return true;
  });
}

}  // namespace flamingo
