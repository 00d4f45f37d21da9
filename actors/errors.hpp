// The three kinds of error, never mixed: a peer misbehaved (`reject`: counted, go on), the
// environment failed
// (`ec`: the actor stops, the validator says why), our own bug (FLAMINGO_ASSERT: on in every
// build).
#pragma once

#include <cstdint>
#include <string_view>

#include "messages/assert.hpp"

namespace flamingo {

/// Why an input from a peer or client was refused. Expected, counted in metrics by name, never
/// thrown.
enum class reject : std::uint8_t {
  malformed,  // not a message of its kind, or a list or field beyond its bound
  oversize,   // larger than the cap of its kind
  bad_signature,
  unknown_validator,
  unknown_client,
  wrong_epoch,     // of another committee epoch or chain
  wrong_author,    // speaks for somebody else
  round_too_low,   // at or below the floor
  round_too_high,  // beyond what may wait
  too_few_parents,
  duplicate_parent,  // the same parent or the same author twice
  wrong_parent_round,
  bad_weak_links,  // not ascending, out of range, or too many
  bad_payload,     // a batch twice, of another author, or with other counts than stored
  bad_coin_share,
  bad_control_record,
  equivocation,  // another header of the same author and round was voted for
  duplicate_vote,
  vote_for_unknown,  // not for a header of ours that still collects
  too_few_votes,
  too_many_pending,  // the bound on what may wait for later was reached
  not_requested,
  too_many_requests,
  barred,  // of a round that this validator must not sign for: it lost its store
  count_,
};
std::string_view to_string(reject x);
/// Whether an honest sender's input is hardly ever refused for that: whoever sends such again and
/// again is throttled (link/patience.hpp).
bool is_in_vain(reject x);

/// What failed in the environment. The text beside it names the file, address or setting.
enum class ec : std::uint8_t { store_failed = 1, address_in_use, bad_configuration, link_failed };
std::string_view to_string(ec x);

}  // namespace flamingo
