#include "actors/link/hello.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "crypto/hex.hpp"
#include "messages/frame.hpp"
#include "messages/schema/link.capnp.h"

namespace flamingo::link {

namespace {

capnp::Data::Reader as_data(const digest& x) {
  return {x.bytes.data(), x.bytes.size()};
}

bool get(capnp::Data::Reader from, digest& to) {
  if (from.size() != to.bytes.size()) return false;
  std::copy(from.begin(), from.end(), to.bytes.begin());
  return true;
}

std::string start_of(const digest& x) {
  return crypto::to_hex(byte_span(x).first(8));
}

bool exists(const peer& who, const admission& rule) {
  switch (who.what) {
    case peer::kind::validator:
      return who.index < rule.validators;
    case peer::kind::client:
      return who.index < rule.clients;
    case peer::kind::operator_:
      return who.index == 0;
  }
  return false;
}

}  // namespace

std::vector<char> encode(const hello& x) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<schema::Hello>();
  out.setVersion(x.version);
  out.setChain(as_data(x.chain));
  out.setCommittee(as_data(x.committee));
  out.setConversation(static_cast<schema::Conversation>(x.about));
  out.setWorker(x.worker.value);
  out.setFrom(static_cast<schema::PeerKind>(x.from.what));
  out.setIndex(x.from.index);
  const wire<schema::Hello> frame(message);
  const auto* first = reinterpret_cast<const char*>(frame.bytes().data());
  return {first, first + frame.size()};
}

std::optional<hello> decode_hello(const std::vector<char>& bytes) {
  hello out;
  bool well_formed = false;
  const auto read = [&](capnp::MessageReader& message) {
    const auto in = message.getRoot<schema::Hello>();
    const auto about = static_cast<std::uint16_t>(in.getConversation());
    const auto kind = static_cast<std::uint16_t>(in.getFrom());
    if (!get(in.getChain(), out.chain) || !get(in.getCommittee(), out.committee)) return;
    if (about >= conversations || kind >= peer_kinds) return;
    out.version = in.getVersion();
    out.about = static_cast<conversation>(about);
    out.worker = worker_id{in.getWorker()};
    out.from = {static_cast<peer::kind>(kind), in.getIndex()};
    well_formed = true;
  };
  const byte_span span(reinterpret_cast<const byte*>(bytes.data()), bytes.size());
  if (!wire<schema::Hello>::read_words(span, read) || !well_formed) return std::nullopt;
  return out;
}

std::optional<ended> refusal(const hello& theirs, const hello& ours, const admission& rule,
                             const std::optional<std::string>& certified) {
  const auto who = to_string(theirs.from);
  const auto differs = [&](ending why, std::string_view what, const auto& its, const auto& own) {
    return ended{why, fmt::format("{} of {} is {}, ours is {}", what, who, its, own)};
  };
  if (theirs.version != ours.version)
    return differs(ending::wrong_version, "protocol version", theirs.version, ours.version);
  if (theirs.chain != ours.chain)
    return differs(ending::wrong_chain, "chain id", start_of(theirs.chain), start_of(ours.chain));
#if !FLAMINGO_MUTANT_hello_of_any_committee
  if (theirs.committee != ours.committee)
    return differs(ending::wrong_committee, "committee file", start_of(theirs.committee),
                   start_of(ours.committee));
#endif
  if (theirs.about != ours.about)
    return differs(ending::wrong_conversation, "conversation", to_string(theirs.about),
                   to_string(ours.about));
  if (theirs.worker != ours.worker)
    return differs(ending::wrong_worker, "worker index", theirs.worker.value, ours.worker.value);
  if (certified && *certified != who)
    return ended{ending::wrong_name,
                 fmt::format("it says it is {}, its certificate names {}", who, *certified)};
  if (rule.dialled && *rule.dialled != theirs.from)
    return ended{ending::unexpected_peer,
                 fmt::format("dialled {}, found {}", to_string(*rule.dialled), who)};
  if (theirs.from.what != rule.kind)
    return ended{ending::unknown_peer,
                 fmt::format("{} came, expected a {}", who, to_string(rule.kind))};
  if (!exists(theirs.from, rule))
    return ended{ending::unknown_peer,
                 fmt::format("{} came, the committee has {} validators and {} clients", who,
                             rule.validators, rule.clients)};
  return std::nullopt;
}

}  // namespace flamingo::link
