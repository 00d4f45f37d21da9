// What primaries say to each other and store of it, and the control records in it.
#include "messages/codec_checkpoint.hpp"
#include "messages/codec_dag.hpp"
#include "messages/codec_migration.hpp"
#include "tests/golden/frozen.hpp"
#include "tests/unit/checkpoint_samples.hpp"
#include "tests/unit/codec_dag_values.hpp"

namespace flamingo::golden {

namespace {

using namespace flamingo::testing;

/// Every field travels, so that equal encodings mean equal headers.
bool same(const header& x, const header& sample) {
  return x.id == sample.id && equal(encode_header(x), encode_header(sample));
}
bool same(const signed_header& x, const signed_header& sample) {
  return same(x.hdr, sample.hdr) && carries(x.bytes, sample.bytes);
}
bool same(const vote& x, const vote& sample) {
  return x.header == sample.header && x.author == sample.author && x.round == sample.round &&
         x.voter == sample.voter && x.sig == sample.sig;
}
bool same(const certificate& x, const certificate& sample) {
  return x.header == sample.header && x.author == sample.author && x.round == sample.round &&
         x.votes == sample.votes;
}
bool same(const certified_header& x, const certified_header& sample) {
  return same(x.hdr, sample.hdr) && carries(x.bytes, sample.bytes) && same(x.cert, sample.cert);
}
bool same(const header_request& x, const header_request& sample) {
  return x.headers == sample.headers;
}
bool same(const range_gone& x, const range_gone& sample) {
  return x.first_kept == sample.first_kept;
}
bool same(const round_range& x, const round_range& sample) {
  return x.first == sample.first && x.last == sample.last;
}

certified_header sample_certified() {
  const header x = full_header();
  return {x, signed_header_of(x).bytes, certificate_of(x, {0, 1, 3, 5, 6})};
}

vote sample_vote() {
  const header x = full_header();
  return {x.id, x.author, x.round, validator_id{5}, some_signature(21)};
}

template <class Value>
frozen_frame said(std::string name, const wire<schema::PeerMessage>& frame, const Value& sample) {
  return frozen(std::move(name), frame, [sample](const wire<schema::PeerMessage>& from) {
    const auto message = decode(from, seven_validators);
    const auto* x = message ? std::get_if<Value>(&*message) : nullptr;
    return x != nullptr && same(*x, sample);
  });
}

void add_stored(std::vector<frozen_frame>& to) {
  const signed_header own = signed_header_of(full_header());
  to.push_back(
      frozen_body<schema::Header>("header_body", own.bytes.body, [own](const shared_bytes& body) {
        const auto x = decode_header(body, seven_validators);
        return x && same(*x, own.hdr);
      }));
  to.push_back(frozen("signed_header", encode(own.bytes), [own](const wire<schema::Signed>& from) {
    const auto x = decode(from, seven_validators);
    return x && same(*x, own);
  }));
  const certified_header certified = sample_certified();
  to.push_back(frozen("certified_header", encode(certified),
                      [certified](const wire<schema::CertifiedHeader>& from) {
                        const auto x = decode(from, seven_validators);
                        return x && same(*x, certified);
                      }));
}

void add_control(std::vector<frozen_frame>& to) {
  const auto records = full_header().control;
  for (const auto& [name, i] : {std::pair{"control_migration_decision", 0},
                                {"control_migration_acceptance", 1},
                                {"control_capacity_declaration", 2},
                                {"control_checkpoint", 3},
                                {"control_halt", 4}})
    to.push_back(frozen(name, encode(records.at(i)), records.at(i)));
}

void add_checkpoints(std::vector<frozen_frame>& to) {
  const char* names[] = {"checkpoint_query",          "checkpoint_answer",
                         "checkpoint_ledger_request", "checkpoint_ledger_part",
                         "checkpoint_state_request",  "checkpoint_state_part"};
  const auto samples = tests::checkpoint_samples();
  for (std::size_t i = 0; i < samples.size(); ++i)
    to.push_back(frozen(names[i], encode(samples[i]),
                        [sample = samples[i]](const wire<schema::PeerMessage>& from) {
                          const auto x = decode_checkpoint(from, seven_validators.validators);
                          return x && tests::same(*x, sample);
                        }));
}

}  // namespace

std::vector<frozen_frame> peer_frames() {
  std::vector<frozen_frame> out;
  add_stored(out);
  const signed_header own = signed_header_of(full_header());
  const certified_header certified = sample_certified();
  const header_request request{{some_digest(30), some_digest(31)}};
  const round_range range{round_number{17}, round_number{300}};
  const range_gone gone{round_number{280}};
  out.push_back(said("peer_header", encode_peer(own.bytes), own));
  out.push_back(said("peer_vote", encode_peer(sample_vote()), sample_vote()));
  out.push_back(said("peer_certificate", encode_peer(certified.cert), certified.cert));
  out.push_back(said("peer_certified", encode_peer(certified), certified));
  out.push_back(said("peer_certified_stored", *encode_peer(encode(certified)), certified));
  out.push_back(said("peer_request", encode_peer(request), request));
  out.push_back(said("peer_range", encode_peer(range), range));
  out.push_back(said("peer_range_gone", encode_peer(gone), gone));
  add_control(out);
  add_checkpoints(out);
  return out;
}

}  // namespace flamingo::golden
