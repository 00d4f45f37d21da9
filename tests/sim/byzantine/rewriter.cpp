#include "tests/sim/byzantine/rewriter.hpp"

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

std::vector<peer_frame> rewriter::says(link::peer to, const peer_frame& x) {
  if (!deceived_.contains(validator_of(to))) return {x};
  bool is_header = false;
  x.read([&](schema::PeerMessage::Reader r) { is_header = r.isHeader(); });
  if (!is_header) return {x};
  const auto message = decode(x, who_.limits());
  const auto* first = message ? std::get_if<signed_header>(&*message) : nullptr;
  if (!first || first->hdr.author != who_.self) return {x};
  const twin& second = twin_of(*first);
  return {second.changed ? second.frame : x};
}

rewriter::twin& rewriter::twin_of(const signed_header& first) {
  const auto [found, is_new] = twins_.try_emplace(first.hdr.round);
  twin& second = found->second;
  if (!is_new) return second;
  header other = first.hdr;
  second.changed = change(other);
  if (!second.changed) return second;
  const auto body = encode_header(other);
  second.id = header_id(body);
  second.where = other.position();
  second.frame = encode_peer(
      signed_bytes{body, who_.key->sign(crypto::header_statement(who_.context(), second.id))});
  second.votes[who_.self] = who_.key->sign(
      crypto::vote_statement(who_.context(), second.id, second.where.author, second.where.round));
  by_id_[second.id] = first.hdr.round;
  ++signed_;
  return second;
}

void rewriter::hears(link::peer, const peer_frame& x) {
  bool is_vote = false;
  x.read([&](schema::PeerMessage::Reader r) { is_vote = r.isVote(); });
  if (!is_vote) return;
  const auto message = decode(x, who_.limits());
  if (const auto* cast = message ? std::get_if<vote>(&*message) : nullptr) voted(*cast);
}

void rewriter::voted(const vote& x) {
  const auto found = by_id_.find(x.header);
  if (found == by_id_.end()) return;
  twin& second = twins_.at(found->second);
  if (!second.votes.try_emplace(x.voter, x.sig).second) return;
  const certificate all{second.id,
                        second.where.author,
                        second.where.round,
                        {second.votes.begin(), second.votes.end()}};
  for (const auto& cert : certify(all)) tell(encode_peer(cert));
}

std::vector<certificate> rewriter::certify(const certificate& votes_so_far) {
  if (votes_so_far.votes.size() != who_.members->quorum()) return {};
  return {votes_so_far};
}

void rewriter::tell(const peer_frame& x) const {
  for (const auto to : deceived_) send(to, x);
}

std::set<validator_id> rewriter::all_of(const insider& who) {
  const auto all = who.others();
  return {all.begin(), all.end()};
}

}  // namespace flamingo::sim::byzantine
