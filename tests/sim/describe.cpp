#include "tests/sim/describe.hpp"

#include <fmt/format.h>

namespace flamingo::sim {

namespace {

std::string short_hex(capnp::Data::Reader x) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, x.size()); ++i)
    out += fmt::format("{:02x}", x[i]);
  return out;
}

/// Reads the body of a Signed as `Schema`; a body that is none gives "?".
template <class Schema, class F>
std::string body(schema::Signed::Reader x, F&& f) {
  std::string out = "?";
  const auto bytes = x.getBody();
  wire<Schema>::read_words({bytes.begin(), bytes.size()}, [&](capnp::MessageReader& message) {
    out = f(message.getRoot<Schema>());
  });
  return out;
}

std::string header_text(schema::Signed::Reader x) {
  return body<schema::Header>(x, [](schema::Header::Reader h) {
    return fmt::format("header v{} r{} parents {} weak {} payload {}", h.getAuthor(), h.getRound(),
                       h.getParents().size(), h.getWeakLinks().size(), h.getPayload().size());
  });
}

std::string answer_text(schema::Admission::Reader x) {
  using which = schema::Admission;
  switch (x.which()) {
    case which::ADMITTED:
      return "admitted";
    case which::REDIRECT:
      return fmt::format("redirect to v{}", x.getRedirect());
    case which::BUSY:
      return fmt::format("busy {} ms", x.getBusy());
    case which::RELAY_LIMITED:
      return fmt::format("relay limited {} ms", x.getRelayLimited());
    case which::INVALID:
      return fmt::format("invalid: {}", x.getInvalid().cStr());
    case which::DUPLICATE:
      return "duplicate";
  }
  return "unknown";
}

template <class Message, class F>
std::string read_or_garbage(const wire<Message>& x, F&& f) {
  std::string out;
  return x.read([&](typename Message::Reader r) { out = f(r); }) ? out : "garbage";
}

}  // namespace

std::string name_of(link::peer x) {
  const char* kind = x.what == link::peer::kind::validator ? "v"
                     : x.what == link::peer::kind::client  ? "c"
                                                           : "operator";
  return kind + std::to_string(x.index);
}

std::string checkpoint_text(schema::CheckpointMessage::Reader r) {
  using which = schema::CheckpointMessage;
  switch (r.which()) {
    case which::QUERY:
      return "where are you?";
    case which::ANSWER:
      return fmt::format("at round {}, checkpoint {}", r.getAnswer().getNewest().getRound(),
                         r.getAnswer().getCheckpoint().getIndex());
    case which::LEDGER_REQUEST:
      return fmt::format("request of ledger {} from {}", r.getLedgerRequest().getIndex(),
                         r.getLedgerRequest().getOffset());
    case which::LEDGER_PART:
      return fmt::format("ledger {} from {}, bytes {}", r.getLedgerPart().getIndex(),
                         r.getLedgerPart().getOffset(), r.getLedgerPart().getBytes().size());
    case which::STATE_REQUEST:
      return fmt::format("request of state {} buckets {} + {}", r.getStateRequest().getIndex(),
                         r.getStateRequest().getFirst(), r.getStateRequest().getCount());
    case which::STATE_PART:
      return fmt::format("state {} buckets {} + {}", r.getStatePart().getIndex(),
                         r.getStatePart().getFirst(), r.getStatePart().getBuckets().size());
  }
  return "unknown";
}

std::string summary(const peer_frame& frame) {
  return read_or_garbage(frame, [](schema::PeerMessage::Reader r) -> std::string {
    using which = schema::PeerMessage;
    switch (r.which()) {
      case which::HEADER:
        return header_text(r.getHeader());
      case which::VOTE:
        return fmt::format("vote of v{} for v{} r{} {}", r.getVote().getVoter(),
                           r.getVote().getAuthor(), r.getVote().getRound(),
                           short_hex(r.getVote().getHeader()));
      case which::CERTIFICATE:
        return fmt::format("certificate v{} r{} {}", r.getCertificate().getAuthor(),
                           r.getCertificate().getRound(),
                           short_hex(r.getCertificate().getHeader()));
      case which::CERTIFIED:
        return "certified " + header_text(r.getCertified().getHeader());
      case which::REQUEST:
        return fmt::format("request of {} headers", r.getRequest().size());
      case which::RANGE:
        return fmt::format("request of rounds {} to {}", r.getRange().getFirst(),
                           r.getRange().getLast());
      case which::RANGE_GONE:
        return fmt::format("rounds below {} are gone", r.getRangeGone().getFirstKept());
      case which::CHECKPOINT:
        return checkpoint_text(r.getCheckpoint());
    }
    return "unknown";
  });
}

std::string summary(const worker_frame& frame) {
  return read_or_garbage(frame, [](schema::WorkerMessage::Reader r) -> std::string {
    using which = schema::WorkerMessage;
    switch (r.which()) {
      case which::BATCH:
        return fmt::format("batch v{} worker {} #{} bundles {}", r.getBatch().getAuthor(),
                           r.getBatch().getWorker(), r.getBatch().getSequence(),
                           r.getBatch().getBundles().size());
      case which::STORED:
        return fmt::format("stored #{}", r.getStored().getSequence());
      case which::REQUEST:
        return fmt::format("request of {} batches", r.getRequest().size());
      case which::ABSENT:
        return fmt::format("{} batches are not here", r.getAbsent().size());
    }
    return "unknown";
  });
}

std::string summary(const client_frame& frame) {
  return read_or_garbage(frame, [](schema::ClientMessage::Reader r) -> std::string {
    using which = schema::ClientMessage;
    switch (r.which()) {
      case which::BUNDLE:
        return body<schema::Bundle>(r.getBundle(), [](schema::Bundle::Reader b) {
          return fmt::format("bundle c{} #{} for v{} transactions {}", b.getClient(),
                             b.getSequence(), b.getAssignee(), b.getTransactions().size());
        });
      case which::ADMISSION:
        return fmt::format("admission #{} {}", r.getAdmission().getSequence(),
                           answer_text(r.getAdmission()));
      case which::RECEIPTS:
        return body<schema::Receipts>(r.getReceipts(), [](schema::Receipts::Reader x) {
          return fmt::format("receipts of v{}: {}", x.getValidator(), x.getReceipts().size());
        });
      case which::WELCOME:
        return fmt::format("welcome low {}", r.getWelcome().getLow());
      case which::ASSIGNMENT:
        return fmt::format("assignment {}", r.getAssignment().getVersion());
      case which::QUERY:
        return fmt::format("query #{}", r.getQuery().getSequence());
    }
    return "unknown";
  });
}

std::string summary(const operator_frame& frame) {
  return read_or_garbage(frame, [](schema::OperatorMessage::Reader r) -> std::string {
    return r.isStatus() ? "status?" : "status";
  });
}

}  // namespace flamingo::sim
