// Who leads a wave: a rule behind a narrow interface, chosen by name (protocol parameter
// `election`). What the rule says must be equal at all validators that say anything.
#pragma once

#include <memory>
#include <optional>

#include "actors/protocol_parameters.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::committer {

class leader_rule {
public:
  virtual ~leader_rule() = default;

  /// The leader of wave w >= 1, or nothing while it cannot be known.
  virtual std::optional<validator_id> leader(wave_number w) const = 0;

  /// Whether the coin of wave w must be combined to know its leader.
  virtual bool wants_coin(wave_number w) const = 0;
  /// The coin's value of wave w. Told once a wave, to a rule that wants it.
  virtual void coin_known(wave_number w, std::uint64_t value) = 0;

  /// Waves up to w are decided: nobody asks for their leaders again.
  virtual void forget(wave_number up_to) = 0;
};

/// @param n validators of the committee.
std::unique_ptr<leader_rule> make_leader_rule(leader_election rule, std::size_t n);

}  // namespace flamingo::committer
