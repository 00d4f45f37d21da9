#include "messages/codec_client.hpp"

#include "messages/codec_fields.hpp"
#include "messages/codec_signed.hpp"

namespace flamingo {

namespace {

using codec::data_of;
using codec::read_fixed;

/// A reason travels to a person: longer ones are cut.
constexpr std::size_t text_max = 256;

std::string text_of(capnp::Text::Reader x) {
  return {x.cStr(), std::min<std::size_t>(x.size(), text_max)};
}

std::uint32_t milliseconds_of(std::chrono::milliseconds x) {
  return static_cast<std::uint32_t>(x.count());
}

// -- admission

void write(const admission_answer& from, schema::Admission::Builder into) {
  into.setSequence(from.sequence.value);
  struct visitor {
    schema::Admission::Builder into;
    void operator()(const admission::admitted&) { into.setAdmitted(); }
    void operator()(const admission::redirect& x) { into.setRedirect(x.assignee.value); }
    void operator()(const admission::busy& x) {
      into.setBusy(milliseconds_of(x.retry_after));
      into.setLimit(x.limit);
    }
    void operator()(const admission::relay_limited& x) {
      into.setRelayLimited(milliseconds_of(x.retry_after));
      into.setLimit(x.limit);
    }
    void operator()(const admission::invalid& x) { into.setInvalid(x.reason); }
    void operator()(const admission::duplicate&) { into.setDuplicate(); }
  };
  std::visit(visitor{into}, from.what);
}

std::optional<client_message> read(schema::Admission::Reader in) {
  admission_answer out{bundle_sequence{in.getSequence()}, {}};
  switch (in.which()) {
    case schema::Admission::ADMITTED:
      out.what = admission::admitted{};
      return out;
    case schema::Admission::REDIRECT:
      out.what = admission::redirect{validator_id{in.getRedirect()}};
      return out;
    case schema::Admission::BUSY:
      out.what = admission::busy{std::chrono::milliseconds{in.getBusy()}, text_of(in.getLimit())};
      return out;
    case schema::Admission::RELAY_LIMITED:
      out.what = admission::relay_limited{std::chrono::milliseconds{in.getRelayLimited()},
                                          text_of(in.getLimit())};
      return out;
    case schema::Admission::INVALID:
      out.what = admission::invalid{text_of(in.getInvalid())};
      return out;
    case schema::Admission::DUPLICATE:
      out.what = admission::duplicate{};
      return out;
  }
  return std::nullopt;  // a kind of a later version
}

// -- welcome, table

void write(const welcome& from, schema::Welcome::Builder into) {
  into.setValidator(from.validator.value);
  into.setLow(from.low.value);
  into.setAnchorRound(from.anchor_round.value);
}

welcome read(schema::Welcome::Reader in) {
  return {validator_id{in.getValidator()}, bundle_sequence{in.getLow()},
          round_number{in.getAnchorRound()}};
}

void write(const assignment_update& from, schema::AssignmentUpdate::Builder into) {
  into.setVersion(from.version.value);
  auto moves = into.initMoves(static_cast<unsigned>(from.moves.size()));
  for (unsigned i = 0; i < from.moves.size(); ++i) {
    moves[i].setAccount(from.moves[i].account.value);
    moves[i].setAssignee(from.moves[i].assignee.value);
  }
}

std::optional<assignment_update> read(schema::AssignmentUpdate::Reader in,
                                      std::size_t frame_bytes) {
  assignment_update out{table_version{in.getVersion()}, {}};
  const auto moves = in.getMoves();
  if (!codec::can_hold(frame_bytes, moves.size())) return std::nullopt;
  out.moves.reserve(moves.size());
  for (const auto move : moves)
    out.moves.push_back({account_id{move.getAccount()}, validator_id{move.getAssignee()}});
  return out;
}

// -- receipts

constexpr std::size_t receipt_words = 16;  // without the result codes

void write(const receipt& from, schema::Receipt::Builder into) {
  into.setClient(from.client.value);
  into.setSequence(from.sequence.value);
  into.setBundle(data_of(from.bundle));
  into.setCommitIndex(from.index.value);
  into.setResultsDigest(data_of(from.results_digest));
  if (!from.results.empty()) into.setResults({from.results.data(), from.results.size()});
}

bool read(schema::Receipt::Reader from, receipt& into) {
  into.client = client_id{from.getClient()};
  into.sequence = bundle_sequence{from.getSequence()};
  into.index = commit_index{from.getCommitIndex()};
  const auto results = from.getResults();
  into.results.assign(results.begin(), results.end());
  return read_fixed(from.getBundle(), into.bundle) &&
         read_fixed(from.getResultsDigest(), into.results_digest);
}

template <class Kind>
std::optional<client_message> read_signed(const shared_bytes& frame, schema::Signed::Reader in,
                                          std::size_t body_max) {
  auto parts = decode(frame, in, body_max);
  if (!parts) return std::nullopt;
  return Kind{std::move(*parts)};
}

}  // namespace

std::optional<client_message> decode(const wire<schema::ClientMessage>& frame,
                                     std::size_t body_max) {
  std::optional<client_message> result;
  const bool readable = frame.read([&](schema::ClientMessage::Reader in) {
    switch (in.which()) {
      case schema::ClientMessage::BUNDLE:
        result = read_signed<signed_bundle>(frame.bytes(), in.getBundle(), body_max);
        break;
      case schema::ClientMessage::ADMISSION:
        result = read(in.getAdmission());
        break;
      case schema::ClientMessage::RECEIPTS:
        result = read_signed<signed_receipts>(frame.bytes(), in.getReceipts(), body_max);
        break;
      case schema::ClientMessage::WELCOME:
        result = read(in.getWelcome());
        break;
      case schema::ClientMessage::ASSIGNMENT:
        if (auto update = read(in.getAssignment(), frame.size())) result = std::move(*update);
        break;
      case schema::ClientMessage::QUERY:
        result = receipt_query{bundle_sequence{in.getQuery().getSequence()}};
        break;
    }
  });
  if (!readable) return std::nullopt;
  return result;
}

std::optional<client_request> decode_request(const wire<schema::ClientMessage>& frame,
                                             std::size_t body_max) {
  bool from_client = false;
  const bool readable = frame.read(
      [&](schema::ClientMessage::Reader in) { from_client = in.isBundle() || in.isQuery(); });
  if (!readable || !from_client) return std::nullopt;
  auto message = decode(frame, body_max);
  if (!message) return std::nullopt;
  if (auto* bundle = std::get_if<signed_bundle>(&*message)) return std::move(*bundle);
  return std::get<receipt_query>(*message);
}

wire<schema::ClientMessage> encode(const client_message& x) {
  struct visitor {
    schema::ClientMessage::Builder into;
    void operator()(const signed_bundle& from) { flamingo::write(from.parts, into.initBundle()); }
    void operator()(const admission_answer& from) { write(from, into.initAdmission()); }
    void operator()(const signed_receipts& from) {
      flamingo::write(from.parts, into.initReceipts());
    }
    void operator()(const welcome& from) { write(from, into.initWelcome()); }
    void operator()(const assignment_update& from) { write(from, into.initAssignment()); }
    void operator()(const receipt_query& from) {
      into.initQuery().setSequence(from.sequence.value);
    }
  };
  capnp::MallocMessageBuilder message;
  std::visit(visitor{message.initRoot<schema::ClientMessage>()}, x);
  return wire<schema::ClientMessage>(message);
}

shared_bytes encode_receipts(const receipts& x) {
  std::size_t words = 16;
  for (const auto& one : x.list) words += receipt_words + one.results.size() / 8 + 1;
  return encode_body<schema::Receipts>(words, [&](schema::Receipts::Builder out) {
    out.setValidator(x.validator.value);
    out.setAnchorRound(x.anchor_round.value);
    auto list = out.initReceipts(static_cast<unsigned>(x.list.size()));
    for (unsigned i = 0; i < x.list.size(); ++i) write(x.list[i], list[i]);
  });
}

std::optional<receipts> decode_receipts(byte_span body) {
  receipts out;
  bool well_formed = false;
  const bool readable = read_body<schema::Receipts>(body, [&](schema::Receipts::Reader in) {
    out.validator = validator_id{in.getValidator()};
    out.anchor_round = round_number{in.getAnchorRound()};
    const auto list = in.getReceipts();
    if (list.size() > max_receipts_per_message) return;
    out.list.resize(list.size());
    for (unsigned i = 0; i < list.size(); ++i)
      if (!read(list[i], out.list[i])) return;
    well_formed = true;
  });
  if (!readable || !well_formed) return std::nullopt;
  return out;
}

wire<schema::AssignmentUpdate> encode(const assignment_update& x) {
  capnp::MallocMessageBuilder message;
  write(x, message.initRoot<schema::AssignmentUpdate>());
  return wire<schema::AssignmentUpdate>(message);
}

std::optional<assignment_update> decode(const wire<schema::AssignmentUpdate>& frame) {
  std::optional<assignment_update> out;
  if (!frame.read([&](schema::AssignmentUpdate::Reader in) { out = read(in, frame.size()); }))
    return std::nullopt;
  return out;
}

}  // namespace flamingo
