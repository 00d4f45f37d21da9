#include "tests/sim/byzantine/two_vote_sets.hpp"

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

namespace {

/// Those who have to wait for the second set.
bool waits(validator_id v) {
  return v.value % 2 == 1;
}

}  // namespace

std::vector<peer_frame> two_vote_sets::says(link::peer to, const peer_frame& x) {
  bool is_certificate = false;
  x.read([&](schema::PeerMessage::Reader r) { is_certificate = r.isCertificate(); });
  if (!is_certificate) return {x};
  const auto message = decode(x, who_.limits());
  const auto* own = message ? std::get_if<certificate>(&*message) : nullptr;
  if (!own || own->author != who_.self) return {x};
  certified& of = all_[own->header];
  of.first = *own;
  for (const auto& vote : own->votes) of.votes.insert(vote);
  if (!waits(validator_of(to))) return {x};
  if (of.votes.size() > who_.members->quorum()) return {second(of)};
  return {};  // until there is another vote
}

/// Without the first of the voters that the shells took.
peer_frame two_vote_sets::second(const certified& of) const {
  auto votes = of.votes;
  votes.erase(of.first->votes.front().first);
  certificate other = *of.first;
  other.votes.assign(votes.begin(), votes.end());
  other.votes.resize(who_.members->quorum());
  return encode_peer(other);
}

void two_vote_sets::hears(link::peer, const peer_frame& x) {
  bool is_vote = false;
  x.read([&](schema::PeerMessage::Reader r) { is_vote = r.isVote(); });
  if (!is_vote) return;
  const auto message = decode(x, who_.limits());
  const auto* cast = message ? std::get_if<vote>(&*message) : nullptr;
  if (!cast || cast->author != who_.self) return;
  certified& of = all_[cast->header];
  const bool is_new = of.votes.emplace(cast->voter, cast->sig).second;
  if (!is_new || !of.first || of.votes.size() != who_.members->quorum() + 1) return;
  for (const auto to : who_.others())
    if (waits(to)) send(to, second(of));
}

}  // namespace flamingo::sim::byzantine
