#include "messages/codec_checkpoint.hpp"

#include <bit>

#include "messages/codec_dag.hpp"
#include "messages/codec_fields.hpp"
#include "messages/codec_signatures.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

constexpr std::size_t bucket_count = 65536;
constexpr std::size_t path_max = 16;  // the depth of the state tree

capnp::Data::Reader data_of(const std::vector<byte>& x) {
  return {x.data(), x.size()};
}

std::vector<byte> copy_of(capnp::Data::Reader x) {
  return {x.begin(), x.end()};
}

bool is_subtree(std::uint64_t first, std::uint64_t count) {
  return std::has_single_bit(count) && first % count == 0 && first + count <= bucket_count;
}

// -- fields

struct writer {
  schema::CheckpointMessage::Builder out;

  void operator()(checkpoint_query) { out.setQuery(); }
  void operator()(const checkpoint_answer& x) {
    auto answer = out.initAnswer();
    answer.setHasNewest(x.newest.has_value());
    if (x.newest) write(*x.newest, answer.initNewest());
    answer.setHasCheckpoint(x.checkpoint.has_value());
    if (!x.checkpoint) return;
    const checkpoint_summary& what = x.checkpoint->what;
    auto summary = answer.initCheckpoint();
    summary.setIndex(what.index.value);
    summary.setStateRoot(data_of(what.state_root));
    summary.setLedger(data_of(what.ledger));
    summary.setLedgerBytes(what.ledger_bytes);
    codec::write_signatures(x.checkpoint->signatures, answer);
  }
  void operator()(const ledger_request& x) {
    auto request = out.initLedgerRequest();
    request.setIndex(x.index.value);
    request.setOffset(x.offset);
  }
  void operator()(const ledger_part& x) {
    auto part = out.initLedgerPart();
    part.setIndex(x.index.value);
    part.setOffset(x.offset);
    part.setBytes(data_of(x.bytes));
  }
  void operator()(const state_request& x) {
    auto request = out.initStateRequest();
    request.setIndex(x.index.value);
    request.setFirst(x.first);
    request.setCount(x.count);
  }
  void operator()(const state_part& x) {
    auto part = out.initStatePart();
    part.setIndex(x.index.value);
    part.setFirst(x.first);
    auto buckets = part.initBuckets(static_cast<kj::uint>(x.buckets.size()));
    for (kj::uint i = 0; i < buckets.size(); ++i) buckets.set(i, data_of(x.buckets[i]));
    auto path = part.initPath(static_cast<kj::uint>(x.path.size()));
    for (kj::uint i = 0; i < path.size(); ++i) path.set(i, data_of(x.path[i]));
  }
};

bool read(schema::CheckpointAnswer::Reader in, std::size_t validators, checkpoint_answer& x) {
  if (in.getHasNewest() && !read(in.getNewest(), validators, x.newest.emplace())) return false;
  if (!in.getHasCheckpoint()) return true;
  checkpoint_proof& proof = x.checkpoint.emplace();
  const auto summary = in.getCheckpoint();
  proof.what.index = commit_index{summary.getIndex()};
  proof.what.ledger_bytes = summary.getLedgerBytes();
  return read_fixed(summary.getStateRoot(), proof.what.state_root) &&
         read_fixed(summary.getLedger(), proof.what.ledger) &&
         codec::read_signatures(in, validators, proof.signatures);
}

/// Overlapping pointers may make a small frame read as many buckets: what is copied is at most the
/// frame's size.
bool read(schema::StatePart::Reader in, std::size_t frame_bytes, state_part& x) {
  x.index = commit_index{in.getIndex()};
  x.first = in.getFirst();
  const auto buckets = in.getBuckets();
  if (buckets.size() > 0 && !is_subtree(x.first, buckets.size())) return false;
  if (in.getPath().size() > path_max) return false;
  std::size_t bytes = 0;
  for (const auto bucket : buckets) {
    bytes += bucket.size();
    if (bytes > frame_bytes) return false;
    x.buckets.push_back(copy_of(bucket));
  }
  x.path.resize(in.getPath().size());
  for (kj::uint i = 0; i < in.getPath().size(); ++i)
    if (!read_fixed(in.getPath()[i], x.path[i])) return false;
  return true;
}

std::optional<checkpoint_message> read(schema::CheckpointMessage::Reader in, std::size_t validators,
                                       std::size_t frame_bytes) {
  switch (in.which()) {
    case schema::CheckpointMessage::QUERY:
      return checkpoint_query{};
    case schema::CheckpointMessage::ANSWER: {
      checkpoint_answer x;
      if (!read(in.getAnswer(), validators, x)) return std::nullopt;
      return x;
    }
    case schema::CheckpointMessage::LEDGER_REQUEST: {
      const auto from = in.getLedgerRequest();
      return ledger_request{commit_index{from.getIndex()}, from.getOffset()};
    }
    case schema::CheckpointMessage::LEDGER_PART: {
      const auto from = in.getLedgerPart();
      return ledger_part{commit_index{from.getIndex()}, from.getOffset(), copy_of(from.getBytes())};
    }
    case schema::CheckpointMessage::STATE_REQUEST: {
      const auto from = in.getStateRequest();
      if (!is_subtree(from.getFirst(), from.getCount())) return std::nullopt;
      return state_request{commit_index{from.getIndex()}, from.getFirst(), from.getCount()};
    }
    case schema::CheckpointMessage::STATE_PART: {
      state_part x;
      if (!read(in.getStatePart(), frame_bytes, x)) return std::nullopt;
      return x;
    }
  }
  return std::nullopt;  // a kind of a later version
}

std::size_t size_of(const checkpoint_message& x) {
  std::size_t bytes = 512;
  if (const auto* part = std::get_if<ledger_part>(&x)) bytes += part->bytes.size();
  if (const auto* part = std::get_if<state_part>(&x))
    for (const auto& bucket : part->buckets) bytes += bucket.size() + 16;
  return bytes;
}

}  // namespace

bool is_checkpoint(const wire<schema::PeerMessage>& frame) {
  bool result = false;
  frame.read([&](schema::PeerMessage::Reader in) { result = in.isCheckpoint(); });
  return result;
}

wire<schema::PeerMessage> encode(const checkpoint_message& x) {
  capnp::MallocMessageBuilder message(static_cast<kj::uint>(size_of(x) / 8));
  auto out = message.initRoot<schema::PeerMessage>().initCheckpoint();
  std::visit(writer{out}, x);
  return wire<schema::PeerMessage>(message);
}

std::optional<checkpoint_message> decode_checkpoint(const wire<schema::PeerMessage>& frame,
                                                    std::size_t validators) {
  std::optional<checkpoint_message> result;
  const bool readable = frame.read([&](schema::PeerMessage::Reader in) {
    if (in.isCheckpoint()) result = read(in.getCheckpoint(), validators, frame.size());
  });
  if (!readable) return std::nullopt;
  return result;
}

wire<schema::LedgerMade> encode(const ledger_made& x) {
  capnp::MallocMessageBuilder message(static_cast<kj::uint>(x.ledger.size() / 8 + 64));
  auto out = message.initRoot<schema::LedgerMade>();
  out.setIndex(x.index.value);
  out.setLedger(data_of(x.ledger));
  return wire<schema::LedgerMade>(message);
}

std::optional<ledger_made> decode(const wire<schema::LedgerMade>& frame) {
  ledger_made x;
  if (!frame.read([&](schema::LedgerMade::Reader in) {
        x = {commit_index{in.getIndex()}, copy_of(in.getLedger())};
      }))
    return std::nullopt;
  return x;
}

}  // namespace flamingo
