#include "messages/codec_worker.hpp"

#include "messages/codec_fields.hpp"
#include "messages/codec_signed.hpp"
#include "messages/flat_frame.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

byte_span span_of(capnp::Data::Reader x) {
  return {x.begin(), x.size()};
}

std::optional<worker_message> read_batch(const shared_bytes& frame, schema::Batch::Reader in,
                                         const batch_limits& limits) {
  const auto bundles = in.getBundles();
  if (frame.size() > limits.max_batch_bytes || bundles.size() > limits.max_bundles_per_batch)
    return std::nullopt;
  batch_view out{validator_id{in.getAuthor()},
                 worker_id{in.getWorker()},
                 batch_sequence{in.getSequence()},
                 {}};
  out.bundles.reserve(bundles.size());
  for (const auto bundle : bundles) {
    auto part = decode(frame, bundle, limits.max_bundle_bytes);
    if (!part) return std::nullopt;
    out.bundles.push_back(std::move(*part));
  }
  return out;
}

std::optional<worker_message> read_stored(schema::BatchStored::Reader in) {
  batch_stored out{{}, batch_sequence{in.getSequence()}};
  if (!read_fixed(in.getDigest(), out.batch)) return std::nullopt;
  return out;
}

/// A request, or what is absent of one.
template <class Message>
std::optional<worker_message> read_list(capnp::List<capnp::Data>::Reader in) {
  if (in.size() == 0 || in.size() > max_requested_batches) return std::nullopt;
  Message out;
  out.batches.resize(in.size());
  for (unsigned i = 0; i < in.size(); ++i)
    if (!read_fixed(in[i], out.batches[i])) return std::nullopt;
  return out;
}

void write(const bundle_head& from, schema::BundleIndex::Builder into) {
  into.setClient(from.client.value);
  into.setSequence(from.sequence.value);
  into.setAssignee(from.assignee.value);
  into.setExpires(from.expires.value);
  into.setTransactions(from.transactions);
  into.setDigest(data_of(from.id));
  into.setSystem(from.system);
}

bool read(schema::BundleIndex::Reader from, bundle_head& into) {
  into.client = client_id{from.getClient()};
  into.sequence = bundle_sequence{from.getSequence()};
  into.assignee = validator_id{from.getAssignee()};
  into.expires = round_number{from.getExpires()};
  into.transactions = from.getTransactions();
  into.system = from.getSystem();
  return read_fixed(from.getDigest(), into.id);
}

/// Of a flat frame whose root has no pointer but the list of these digests.
template <class Schema>
std::size_t words_with(const std::vector<digest>& list) {
  return 1 + struct_words<Schema>() + list.size() * (1 + data_words(digest::size));
}

void write(const std::vector<digest>& from, capnp::List<capnp::Data>::Builder to) {
  for (unsigned i = 0; i < from.size(); ++i) to.set(i, data_of(from[i]));
}

bool read(capnp::List<capnp::Data>::Reader from, std::vector<digest>& to) {
  bool well_formed = true;
  to.resize(from.size());
  for (unsigned i = 0; i < from.size(); ++i)
    well_formed = read_fixed(from[i], to[i]) && well_formed;
  return well_formed;
}

}  // namespace

std::optional<worker_message> decode(const wire<schema::WorkerMessage>& frame,
                                     const batch_limits& limits) {
  std::optional<worker_message> result;
  const bool readable = frame.read([&](schema::WorkerMessage::Reader in) {
    switch (in.which()) {
      case schema::WorkerMessage::BATCH:
        result = read_batch(frame.bytes(), in.getBatch(), limits);
        break;
      case schema::WorkerMessage::STORED:
        result = read_stored(in.getStored());
        break;
      case schema::WorkerMessage::REQUEST:
        result = read_list<batch_request>(in.getRequest());
        break;
      case schema::WorkerMessage::ABSENT:
        result = read_list<batches_absent>(in.getAbsent());
        break;
    }
  });
  if (!readable) return std::nullopt;
  return result;
}

wire<schema::WorkerMessage> encode_batch(validator_id author, worker_id worker,
                                         batch_sequence sequence,
                                         std::span<const signed_bytes> bundles) {
  std::size_t words = 1 + struct_words<schema::WorkerMessage>() + struct_words<schema::Batch>() + 1;
  for (const auto& bundle : bundles)
    words += struct_words<schema::Signed>() + data_words(bundle.body.size()) +
             data_words(signature::size);
  flat_frame<schema::WorkerMessage> frame(words);
  auto batch = frame.root().initBatch();
  batch.setAuthor(author.value);
  batch.setWorker(worker.value);
  batch.setSequence(sequence.value);
  auto out = batch.initBundles(static_cast<unsigned>(bundles.size()));
  for (unsigned i = 0; i < bundles.size(); ++i) write(bundles[i], out[i]);
  return frame.finish();
}

wire<schema::WorkerMessage> encode(const batch_stored& x) {
  flat_frame<schema::WorkerMessage> frame(1 + struct_words<schema::WorkerMessage>() +
                                          struct_words<schema::BatchStored>() +
                                          data_words(digest::size));
  auto out = frame.root().initStored();
  out.setDigest(data_of(x.batch));
  out.setSequence(x.sequence.value);
  return frame.finish();
}

wire<schema::WorkerMessage> encode(const batch_request& x) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::WorkerMessage>();
  write(x.batches, root.initRequest(static_cast<unsigned>(x.batches.size())));
  return wire<schema::WorkerMessage>(message);
}

wire<schema::WorkerMessage> encode(const batches_absent& x) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::WorkerMessage>();
  write(x.batches, root.initAbsent(static_cast<unsigned>(x.batches.size())));
  return wire<schema::WorkerMessage>(message);
}

wire<schema::BatchAvailable> encode(const batch_available& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::BatchAvailable>();
  out.setDigest(data_of(x.id));
  out.setAuthor(x.author.value);
  out.setWorker(x.worker.value);
  out.setTransactions(x.transactions);
  out.setCountsDigest(data_of(x.counts_digest));
  out.setCounts({x.counts.data(), x.counts.size()});
  out.setWaitUs(static_cast<std::uint64_t>(x.wait.count()));
  out.setBytes(x.bytes);
  return wire<schema::BatchAvailable>(message);
}

std::optional<batch_available> decode(const wire<schema::BatchAvailable>& frame) {
  batch_available out;
  bool well_formed = false;
  const bool readable = frame.read([&](schema::BatchAvailable::Reader in) {
    out.author = validator_id{in.getAuthor()};
    out.worker = worker_id{in.getWorker()};
    out.transactions = in.getTransactions();
    const auto counts = in.getCounts();
    out.counts.assign(counts.begin(), counts.end());
    out.wait = std::chrono::microseconds{static_cast<std::int64_t>(in.getWaitUs())};
    out.bytes = in.getBytes();
    well_formed =
        read_fixed(in.getDigest(), out.id) && read_fixed(in.getCountsDigest(), out.counts_digest);
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::AvailabilityQuestion> encode(const availability_question& x) {
  flat_frame<schema::AvailabilityQuestion> frame(
      words_with<schema::AvailabilityQuestion>(x.batches));
  auto out = frame.root();
  out.setLate(x.author.has_value());
  out.setAuthor(x.author.value_or(validator_id{}).value);
  write(x.batches, out.initBatches(static_cast<unsigned>(x.batches.size())));
  return frame.finish();
}

std::optional<availability_question> decode(const wire<schema::AvailabilityQuestion>& frame) {
  availability_question out;
  bool well_formed = true;
  const bool readable = frame.read([&](schema::AvailabilityQuestion::Reader in) {
    if (in.getLate()) out.author = validator_id{in.getAuthor()};
    well_formed = read(in.getBatches(), out.batches);
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::BatchWithdrawal> encode(const batch_withdrawal& x) {
  flat_frame<schema::BatchWithdrawal> frame(words_with<schema::BatchWithdrawal>(x.batches));
  auto out = frame.root();
  out.setNumber(x.number);
  out.setWorker(x.worker.value);
  write(x.batches, out.initBatches(static_cast<unsigned>(x.batches.size())));
  return frame.finish();
}

std::optional<batch_withdrawal> decode(const wire<schema::BatchWithdrawal>& frame) {
  batch_withdrawal out;
  bool well_formed = true;
  const bool readable = frame.read([&](schema::BatchWithdrawal::Reader in) {
    out.number = in.getNumber();
    out.worker = worker_id{in.getWorker()};
    well_formed = read(in.getBatches(), out.batches);
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::WithdrawalNoted> encode(const withdrawal_noted& x) {
  flat_frame<schema::WithdrawalNoted> frame(words_with<schema::WithdrawalNoted>(x.kept));
  auto out = frame.root();
  out.setNumber(x.number);
  out.setUntil(x.until.value);
  out.setCommitter(x.by_committer);
  write(x.kept, out.initKept(static_cast<unsigned>(x.kept.size())));
  return frame.finish();
}

std::optional<withdrawal_noted> decode(const wire<schema::WithdrawalNoted>& frame) {
  withdrawal_noted out;
  bool well_formed = true;
  const bool readable = frame.read([&](schema::WithdrawalNoted::Reader in) {
    out.number = in.getNumber();
    out.until = round_number{in.getUntil()};
    out.by_committer = in.getCommitter();
    well_formed = read(in.getKept(), out.kept);
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::BatchIndex> encode(const batch_index& x) {
  flat_frame<schema::BatchIndex> frame(
      1 + struct_words<schema::BatchIndex>() + data_words(digest::size) + 1 +
      x.bundles.size() * (struct_words<schema::BundleIndex>() + data_words(digest::size)));
  auto out = frame.root();
  out.setDigest(data_of(x.id));
  out.setAuthor(x.author.value);
  out.setWorker(x.worker.value);
  auto bundles = out.initBundles(static_cast<unsigned>(x.bundles.size()));
  for (unsigned i = 0; i < x.bundles.size(); ++i) write(x.bundles[i], bundles[i]);
  return frame.finish();
}

std::optional<batch_index> decode(const wire<schema::BatchIndex>& frame) {
  batch_index out;
  bool well_formed = true;
  const bool readable = frame.read([&](schema::BatchIndex::Reader in) {
    out.author = validator_id{in.getAuthor()};
    out.worker = worker_id{in.getWorker()};
    const auto bundles = in.getBundles();
    out.bundles.resize(bundles.size());
    for (unsigned i = 0; i < bundles.size(); ++i)
      well_formed = read(bundles[i], out.bundles[i]) && well_formed;
    well_formed = read_fixed(in.getDigest(), out.id) && well_formed;
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::Payload> encode_payload(commit_index index, const digest& batch,
                                     std::span<const byte_span> bundles) {
  std::size_t words = 1 + struct_words<schema::Payload>() + data_words(digest::size);
  words += bundles.size();  // a pointer each
  for (const auto& bundle : bundles) words += data_words(bundle.size());
  flat_frame<schema::Payload> frame(words);
  auto out = frame.root();
  out.setIndex(index.value);
  out.setDigest(data_of(batch));
  auto list = out.initBundles(static_cast<unsigned>(bundles.size()));
  for (unsigned i = 0; i < bundles.size(); ++i)
    if (!bundles[i].empty()) list.set(i, {bundles[i].data(), bundles[i].size()});
  return frame.finish();
}

std::optional<payload_view> decode(const wire<schema::Payload>& frame) {
  payload_view out;
  bool well_formed = false;
  const bool readable = frame.read([&](schema::Payload::Reader in) {
    out.index = commit_index{in.getIndex()};
    const auto bundles = in.getBundles();
    out.bundles.reserve(bundles.size());
    for (const auto bundle : bundles) out.bundles.push_back(span_of(bundle));
    well_formed = read_fixed(in.getDigest(), out.batch);
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

}  // namespace flamingo
