#include "tests/sim/byzantine/equivocator.hpp"

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

std::vector<peer_frame> equivocator::says(link::peer to, const peer_frame& x) {
  if (!deceived_.contains(validator_id{static_cast<std::uint16_t>(to.index)})) return {x};
  bool header = false;
  x.read([&](schema::PeerMessage::Reader r) { header = r.isHeader(); });
  if (!header) return {x};
  const auto message = decode(x, limits_);
  const auto* first = message ? std::get_if<signed_header>(&*message) : nullptr;
  if (!first || first->hdr.author != self_) return {x};
  return {twin_of(*first).frame};
}

equivocator::twin& equivocator::twin_of(const signed_header& first) {
  const auto [found, is_new] = twins_.try_emplace(first.hdr.round);
  twin& second = found->second;
  if (!is_new) return second;
  header other = first.hdr;
  other.created_at += std::chrono::nanoseconds(1);
  const auto body = encode_header(other);
  second.id = header_id(body);
  second.frame =
      encode_peer(signed_bytes{body, key_->sign(crypto::header_statement(context(), second.id))});
  second.votes[self_] =
      key_->sign(crypto::vote_statement(context(), second.id, self_, other.round));
  return second;
}

void equivocator::hears(link::peer, const peer_frame& x) {
  bool is_vote = false;
  x.read([&](schema::PeerMessage::Reader r) { is_vote = r.isVote(); });
  if (!is_vote) return;
  const auto message = decode(x, limits_);
  const auto* cast = message ? std::get_if<vote>(&*message) : nullptr;
  if (!cast || cast->author != self_) return;
  const auto found = twins_.find(cast->round);
  if (found == twins_.end() || found->second.id != cast->header) return;
  if (!found->second.votes.try_emplace(cast->voter, cast->sig).second) return;
  certify(cast->round, found->second);
}

/// From f+1 votes on: too few, unless it found a quorum.
void equivocator::certify(round_number round, const twin& x) {
  if (x.votes.size() < members_->validity()) return;
  certificate forged{x.id, self_, round, {x.votes.begin(), x.votes.end()}};
  const auto frame = encode_peer(forged);
  for (const auto to : deceived_) send(to, frame);
}

}  // namespace flamingo::sim::byzantine
