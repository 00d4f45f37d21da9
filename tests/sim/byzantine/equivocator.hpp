// An equivocating validator: it signs two headers in every round, sends one to each half of the
// others, votes for both, and tries to have both certified, if need be with too few votes.
#pragma once

#include <map>
#include <memory>
#include <set>

#include "crypto/signing.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"
#include "messages/dag_limits.hpp"
#include "tests/sim/byzantine/behaviour.hpp"

namespace flamingo::sim::byzantine {

class equivocator final : public behaviour {
public:
  /// @param key the validator's own.
  /// @param deceived who gets the second header; the others get the first.
  equivocator(validator_id self, std::shared_ptr<const committee> members, const dag_limits& limits,
              std::shared_ptr<const crypto::signer> key, std::set<validator_id> deceived)
      : self_(self),
        members_(std::move(members)),
        limits_(limits),
        key_(std::move(key)),
        deceived_(std::move(deceived)) {}

  using behaviour::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override;
  void hears(link::peer from, const peer_frame& x) override;

  /// Second headers that it signed.
  std::size_t twins() const { return twins_.size(); }

private:
  struct twin {
    digest id;
    peer_frame frame;
    std::map<validator_id, signature> votes;
  };

  twin& twin_of(const signed_header& first);
  void certify(round_number round, const twin& x);
  crypto::signing_context context() const { return {members_->chain, members_->epoch}; }

  validator_id self_;
  std::shared_ptr<const committee> members_;
  dag_limits limits_;
  std::shared_ptr<const crypto::signer> key_;
  std::set<validator_id> deceived_;
  std::map<round_number, twin> twins_;
};

}  // namespace flamingo::sim::byzantine
