// Certifies each of its headers with several sets of votes, each a valid quorum: a certificate's
// identity is its header's, so nothing may come of it.
#pragma once

#include <map>

#include "messages/dag.hpp"
#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim::byzantine {

class two_vote_sets final : public behaviour {
public:
  explicit two_vote_sets(insider who) : who_(std::move(who)) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override;
  using behaviour::hears;
  void hears(link::peer from, const peer_frame& x) override;

private:
  struct certified {
    std::map<validator_id, signature> votes;  // all that came
    std::optional<certificate> first;         // what its shells made
  };

  peer_frame second(const certified&) const;

  insider who_;
  std::map<digest, certified> all_;
};

}  // namespace flamingo::sim::byzantine
