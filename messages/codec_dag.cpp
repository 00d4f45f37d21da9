#include "messages/codec_dag.hpp"

#include "crypto/hash.hpp"
#include "messages/codec_fields.hpp"
#include "messages/codec_migration.hpp"
#include "messages/codec_signatures.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

constexpr std::uint64_t max_time = 0x7fff'ffff'ffff'ffff;  // what a time_point or duration holds
constexpr std::size_t max_coin_share_bytes = 1024;  // far above any share; the coin knows its size

capnp::Data::Reader data_of(const std::vector<byte>& x) {
  return {x.data(), x.size()};
}

std::vector<byte> copy_of(capnp::Data::Reader x) {
  return {x.begin(), x.end()};
}

kj::uint length(std::size_t x) {
  return static_cast<kj::uint>(x);
}

/// A bound on the words of a header's body.
std::size_t words_of(const header& x) {
  std::size_t words = 64 + x.coin_share.size() / 8 + 6 * x.parents.size() +
                      8 * x.weak_links.size() + control_record_words * x.control.size();
  for (const auto& entry : x.payload) words += 10 + entry.counts.size() / 8;
  return words;
}

// -- headers

void write(const payload_entry& from, schema::PayloadEntry::Builder into) {
  into.setBatch(data_of(from.batch));
  into.setWorker(from.worker.value);
  into.setTransactions(from.transactions);
  into.setCounts(data_of(from.counts));
}

bool read(schema::PayloadEntry::Reader in, payload_entry& x) {
  x.worker = worker_id{in.getWorker()};
  x.transactions = in.getTransactions();
  x.counts = copy_of(in.getCounts());
  x.counts_digest = crypto::hash(crypto::tags::counts, x.counts);
  return read_fixed(in.getBatch(), x.batch);
}

bool read(schema::WeakLink::Reader in, weak_link& x) {
  x.position = {round_number{in.getRound()}, validator_id{in.getAuthor()}};
  return read_fixed(in.getHeader(), x.header);
}

template <class Reader>
bool read_digests(Reader in, std::size_t max, std::vector<digest>& x) {
  if (in.size() > max) return false;
  x.resize(in.size());
  for (kj::uint i = 0; i < in.size(); ++i)
    if (!read_fixed(in[i], x[i])) return false;
  return true;
}

template <class Reader, class Value>
bool read_list(Reader in, std::size_t max, std::vector<Value>& x) {
  if (in.size() > max) return false;
  x.resize(in.size());
  for (kj::uint i = 0; i < in.size(); ++i)
    if (!read(in[i], x[i])) return false;
  return true;
}

/// Overlapping pointers may make a small body read as many counts: what is hashed and copied is at
/// most the body's size.
bool read_payload(schema::Header::Reader in, const dag_limits& limits, std::size_t body_size,
                  header& x) {
  if (in.getPayload().size() > limits.max_payload_entries) return false;
  std::size_t counts = 0;
  for (const auto entry : in.getPayload()) counts += entry.getCounts().size();
  return counts <= body_size && read_list(in.getPayload(), limits.max_payload_entries, x.payload);
}

bool read_control(schema::Header::Reader in, const dag_limits& limits, header& x) {
  const auto records = in.getControl();
  if (records.size() > limits.max_control_records) return false;
  for (const auto entry : records) {
    auto record = decode(entry);
    if (!record) return false;
    x.control.push_back(std::move(*record));
  }
  return true;
}

bool read(schema::Header::Reader in, const dag_limits& limits, std::size_t body_size, header& x) {
  if (in.getCreatedAt() > max_time || in.getQueueDelayUs() > max_time / 1000 ||
      in.getCoinShare().size() > max_coin_share_bytes)
    return false;
  x.author = validator_id{in.getAuthor()};
  x.epoch = epoch_id{in.getEpoch()};
  x.round = round_number{in.getRound()};
  x.created_at = time_point{duration{static_cast<std::int64_t>(in.getCreatedAt())}};
  if (in.getHasQueueDelay())
    x.queue_delay = std::chrono::microseconds{static_cast<std::int64_t>(in.getQueueDelayUs())};
  x.coin_share = copy_of(in.getCoinShare());
  return read_payload(in, limits, body_size, x) &&
         read_digests(in.getParents(), limits.validators, x.parents) &&
         read_list(in.getWeakLinks(), limits.validators, x.weak_links) &&
         read_control(in, limits, x);
}

// -- votes and certificates

void write(const vote& from, schema::Vote::Builder into) {
  into.setHeader(data_of(from.header));
  into.setAuthor(from.author.value);
  into.setRound(from.round.value);
  into.setVoter(from.voter.value);
  into.setSignature(data_of(from.sig));
}

bool read(schema::Vote::Reader in, vote& x) {
  x.author = validator_id{in.getAuthor()};
  x.round = round_number{in.getRound()};
  x.voter = validator_id{in.getVoter()};
  return read_fixed(in.getHeader(), x.header) && read_fixed(in.getSignature(), x.sig);
}

}  // namespace

void write(const certificate& from, schema::Certificate::Builder into) {
  into.setHeader(data_of(from.header));
  into.setAuthor(from.author.value);
  into.setRound(from.round.value);
  codec::write_signatures(from.votes, into);
}

bool read(schema::Certificate::Reader in, std::size_t validators, certificate& x) {
  x.author = validator_id{in.getAuthor()};
  x.round = round_number{in.getRound()};
  return codec::read_signatures(in, validators, x.votes) && read_fixed(in.getHeader(), x.header);
}

namespace {

void write(const certified_header& from, schema::CertifiedHeader::Builder into) {
  write(from.bytes, into.initHeader());
  write(from.cert, into.initCertificate());
}

std::optional<signed_header> decode(const shared_bytes& frame, schema::Signed::Reader in,
                                    const dag_limits& limits) {
  auto bytes = decode(frame, in, limits.max_header_bytes);
  if (!bytes) return std::nullopt;
  auto hdr = decode_header(bytes->body, limits);
  if (!hdr) return std::nullopt;
  return signed_header{std::move(*hdr), std::move(*bytes)};
}

std::optional<certified_header> decode(const shared_bytes& frame,
                                       schema::CertifiedHeader::Reader in,
                                       const dag_limits& limits) {
  certificate cert;
  if (!read(in.getCertificate(), limits.validators, cert)) return std::nullopt;
  auto hdr = decode(frame, in.getHeader(), limits);
  if (!hdr || hdr->hdr.id != cert.header || hdr->hdr.author != cert.author ||
      hdr->hdr.round != cert.round)
    return std::nullopt;
  return certified_header{std::move(hdr->hdr), std::move(hdr->bytes), std::move(cert)};
}

/// Builds a message of about `bytes` bytes with `build`.
template <class F>
wire<schema::PeerMessage> peer_frame_of(std::size_t bytes, F&& build) {
  capnp::MallocMessageBuilder message(length(bytes / 8 + 64));
  build(message.initRoot<schema::PeerMessage>());
  return wire<schema::PeerMessage>(message);
}

std::size_t size_of(const certificate& x) {
  return 64 + x.votes.size() * (signature::size + 1);
}

std::optional<peer_message> decode(const shared_bytes& frame, schema::PeerMessage::Reader in,
                                   const dag_limits& limits) {
  const auto give = [](auto x, bool well_formed) -> std::optional<peer_message> {
    if (!well_formed) return std::nullopt;
    return x;
  };
  switch (in.which()) {
    case schema::PeerMessage::HEADER:
      if (auto x = decode(frame, in.getHeader(), limits)) return std::move(*x);
      return std::nullopt;
    case schema::PeerMessage::VOTE: {
      vote x;
      const bool good = read(in.getVote(), x);
      return give(x, good);
    }
    case schema::PeerMessage::CERTIFICATE: {
      certificate x;
      const bool good = read(in.getCertificate(), limits.validators, x);
      return give(std::move(x), good);
    }
    case schema::PeerMessage::CERTIFIED:
      if (auto x = decode(frame, in.getCertified(), limits)) return std::move(*x);
      return std::nullopt;
    case schema::PeerMessage::REQUEST: {
      header_request x;
      const bool good = read_digests(in.getRequest(), max_requested_headers, x.headers);
      return give(std::move(x), good);
    }
    case schema::PeerMessage::RANGE: {
      const round_range x{round_number{in.getRange().getFirst()},
                          round_number{in.getRange().getLast()}};
      return give(x, x.first <= x.last);
    }
    case schema::PeerMessage::RANGE_GONE:
      return range_gone{round_number{in.getRangeGone().getFirstKept()}};
    case schema::PeerMessage::CHECKPOINT:
      break;  // a conversation of its own: codec_checkpoint.hpp
  }
  return std::nullopt;  // a kind of a later version
}

/// Decodes with `f(reader)`, which gives an optional.
template <class Schema, class F>
auto read_frame(const wire<Schema>& frame, F&& f) {
  decltype(f(std::declval<typename Schema::Reader>())) result;
  if (!frame.read([&](typename Schema::Reader in) { result = f(in); })) result.reset();
  return result;
}

}  // namespace

shared_bytes encode_header(const header& x) {
  return encode_body<schema::Header>(words_of(x), [&](schema::Header::Builder out) {
    out.setAuthor(x.author.value);
    out.setEpoch(x.epoch.value);
    out.setRound(x.round.value);
    out.setCreatedAt(static_cast<std::uint64_t>(x.created_at.time_since_epoch().count()));
    out.setHasQueueDelay(x.queue_delay.has_value());
    if (x.queue_delay) out.setQueueDelayUs(static_cast<std::uint64_t>(x.queue_delay->count()));
    auto payload = out.initPayload(length(x.payload.size()));
    for (kj::uint i = 0; i < payload.size(); ++i) write(x.payload[i], payload[i]);
    auto parents = out.initParents(length(x.parents.size()));
    for (kj::uint i = 0; i < parents.size(); ++i) parents.set(i, data_of(x.parents[i]));
    auto links = out.initWeakLinks(length(x.weak_links.size()));
    for (kj::uint i = 0; i < links.size(); ++i) {
      links[i].setRound(x.weak_links[i].position.round.value);
      links[i].setAuthor(x.weak_links[i].position.author.value);
      links[i].setHeader(data_of(x.weak_links[i].header));
    }
    auto control = out.initControl(length(x.control.size()));
    for (kj::uint i = 0; i < control.size(); ++i) write(x.control[i], control[i]);
    out.setCoinShare(data_of(x.coin_share));
  });
}

digest header_id(byte_span body) {
  return crypto::hash(crypto::tags::header, body);
}

std::optional<header> decode_header(byte_span body, const dag_limits& limits) {
  header x;
  bool well_formed = false;
  if (body.size() > limits.max_header_bytes ||
      !read_body<schema::Header>(
          body, [&](auto in) { well_formed = read(in, limits, body.size(), x); }) ||
      !well_formed)
    return std::nullopt;
  x.id = header_id(body);
  return x;
}

std::optional<signed_header> decode(const wire<schema::Signed>& frame, const dag_limits& limits) {
  return read_frame(frame, [&](auto in) { return decode(frame.bytes(), in, limits); });
}

digest genesis_header(const digest& chain, validator_id v) {
  return crypto::hasher(crypto::tags::header).update(chain).number(v).finish();
}

wire<schema::CertifiedHeader> encode(const certified_header& x) {
  capnp::MallocMessageBuilder message(length((x.bytes.body.size() + size_of(x.cert)) / 8 + 64));
  write(x, message.initRoot<schema::CertifiedHeader>());
  return wire<schema::CertifiedHeader>(message);
}

std::optional<certified_header> decode(const wire<schema::CertifiedHeader>& frame,
                                       const dag_limits& limits) {
  return read_frame(frame, [&](auto in) { return decode(frame.bytes(), in, limits); });
}

wire<schema::PeerMessage> encode_peer(const signed_bytes& x) {
  return peer_frame_of(x.body.size(), [&](auto out) { write(x, out.initHeader()); });
}

wire<schema::PeerMessage> encode_peer(const vote& x) {
  return peer_frame_of(0, [&](auto out) { write(x, out.initVote()); });
}

wire<schema::PeerMessage> encode_peer(const certificate& x) {
  return peer_frame_of(size_of(x), [&](auto out) { write(x, out.initCertificate()); });
}

wire<schema::PeerMessage> encode_peer(const certified_header& x) {
  return peer_frame_of(x.bytes.body.size() + size_of(x.cert),
                       [&](auto out) { write(x, out.initCertified()); });
}

wire<schema::PeerMessage> encode_peer(const header_request& x) {
  return peer_frame_of(x.headers.size() * 48, [&](auto out) {
    auto list = out.initRequest(length(x.headers.size()));
    for (kj::uint i = 0; i < list.size(); ++i) list.set(i, data_of(x.headers[i]));
  });
}

wire<schema::PeerMessage> encode_peer(const round_range& x) {
  return peer_frame_of(0, [&](auto out) {
    auto range = out.initRange();
    range.setFirst(x.first.value);
    range.setLast(x.last.value);
  });
}

wire<schema::PeerMessage> encode_peer(const range_gone& x) {
  return peer_frame_of(0, [&](auto out) { out.initRangeGone().setFirstKept(x.first_kept.value); });
}

std::optional<wire<schema::PeerMessage>> encode_peer(const wire<schema::CertifiedHeader>& stored) {
  return read_frame(stored, [&](auto in) -> std::optional<wire<schema::PeerMessage>> {
    return peer_frame_of(stored.size(), [&](auto out) { out.setCertified(in); });
  });
}

std::optional<peer_message> decode(const wire<schema::PeerMessage>& frame,
                                   const dag_limits& limits) {
  return read_frame(frame, [&](auto in) { return decode(frame.bytes(), in, limits); });
}

}  // namespace flamingo
