#include "tests/sim/byzantine/forger.hpp"

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

signature forger::invented() {
  signature x;
  for (auto& b : x.bytes) b = static_cast<byte>(who_.random.below(256));
  return x;
}

/// With its own vote go some in other validators' names.
std::vector<peer_frame> forger::says(link::peer to, const peer_frame& x) {
  auto out = rewriter::says(to, x);
  bool is_vote = false;
  x.read([&](schema::PeerMessage::Reader r) { is_vote = r.isVote(); });
  if (!is_vote) return out;
  const auto message = decode(x, who_.limits());
  const auto* own = message ? std::get_if<vote>(&*message) : nullptr;
  if (!own || own->voter != who_.self) return out;
  vote other = *own;
  other.voter = who_.some_other();
  out.insert(out.begin(), encode_peer(other));  // with a signature of its own
  other.sig = invented();
  out.insert(out.begin(), encode_peer(other));
  other.voter = validator_id{static_cast<std::uint16_t>(who_.members->size())};
  out.push_back(encode_peer(other));
  out.push_back(x);
  return out;
}

std::vector<certificate> forger::certify(const certificate& votes_so_far) {
  const auto quorum = who_.members->quorum();
  if (votes_so_far.votes.size() >= quorum) return {votes_so_far};
  std::vector<certificate> all{votes_so_far};
  certificate repeated = votes_so_far;
  while (repeated.votes.size() < quorum) repeated.votes.push_back(votes_so_far.votes.back());
  all.push_back(repeated);
  certificate made_up{votes_so_far.header, votes_so_far.author, votes_so_far.round, {}};
  for (std::uint16_t i = 0; i < who_.members->size(); ++i) {
    const validator_id voter{i};
    const auto real = std::find_if(votes_so_far.votes.begin(), votes_so_far.votes.end(),
                                   [&](const auto& x) { return x.first == voter; });
    made_up.votes.emplace_back(voter, real != votes_so_far.votes.end() ? real->second : invented());
  }
  all.push_back(made_up);
  // The votes that are there, in everybody's name.
  for (auto& [voter, sig] : made_up.votes) sig = votes_so_far.votes.front().second;
  all.push_back(made_up);
  return all;
}

}  // namespace flamingo::sim::byzantine
