#include "tests/sim/byzantine/replayer.hpp"

#include "messages/codec_dag.hpp"

namespace flamingo::sim::byzantine {

namespace {

constexpr std::size_t remembered = 512;
constexpr unsigned replayed_per_mille = 100;  // of what it hears, something old is said again

}  // namespace

/// Of all that ever came, a sample.
template <class Frame>
void replayer::remember(past<Frame>& in, const Frame& x) {
  ++in.seen;
  if (in.frames.size() < remembered)
    in.frames.push_back(x);
  else if (const auto at = who_.random.below(in.seen); at < remembered)
    in.frames[at] = x;
}

std::vector<peer_frame> replayer::says(link::peer to, const peer_frame& x) {
  remember(peer_, x);
  return rewriter::says(to, x);
}

void replayer::hears(link::peer from, const peer_frame& x) {
  rewriter::hears(from, x);
  remember(peer_, x);
  if (const auto message = decode(x, who_.limits()))
    if (const auto* header = std::get_if<signed_header>(&*message))
      if (!header->hdr.control.empty() && records_.size() < remembered)
        records_.push_back(header->hdr.control.front());
  if (who_.random.chance(replayed_per_mille))
    send(who_.some_other(), peer_.frames[who_.random.below(peer_.frames.size())]);
}

void replayer::hears(link::peer, const worker_frame& x) {
  remember(worker_, x);
  if (who_.random.chance(replayed_per_mille))
    send_to_workers(who_.some_other(), worker_.frames[who_.random.below(worker_.frames.size())]);
}

bool replayer::change(header& x) {
  x.created_at += std::chrono::nanoseconds(1);
  if (!records_.empty() && who_.random.chance(300))
    x.control.push_back(records_[who_.random.below(records_.size())]);
  return true;
}

std::vector<certificate> replayer::certify(const certificate& votes_so_far) {
  const auto quorum = who_.members->quorum();
  if (votes_so_far.votes.size() >= quorum) return {votes_so_far};
  auto chain = who_.members->chain;
  chain.bytes[0] ^= byte{1};
  const auto epoch = epoch_id{who_.members->epoch.value + 1};
  return {with_votes_of({chain, who_.members->epoch}, votes_so_far),
          with_votes_of({who_.members->chain, epoch}, votes_so_far)};
}

/// The votes that are missing, as they were cast elsewhere.
certificate replayer::with_votes_of(const crypto::signing_context& elsewhere, certificate x) const {
  const auto statement = crypto::vote_statement(elsewhere, x.header, x.author, x.round);
  std::map<validator_id, signature> votes(x.votes.begin(), x.votes.end());
  for (const auto v : who_.others())
    if (votes.size() < who_.members->quorum() && !votes.contains(v))
      votes[v] = signed_elsewhere_(v, statement);
  x.votes.assign(votes.begin(), votes.end());
  return x;
}

}  // namespace flamingo::sim::byzantine
