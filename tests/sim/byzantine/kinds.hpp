// The kinds of Byzantine validators, by name.
#pragma once

#include <array>
#include <memory>

#include "tests/sim/byzantine/behaviour.hpp"
#include "tests/sim/byzantine/insider.hpp"

namespace flamingo::sim {

enum class byzantine_kind : std::uint8_t {
  equivocates,   // two headers a round
  silent,        // says nothing
  lax,           // takes every bundle, however far ahead of its client's window it is
  bad_links,     // parents and weak links that are none
  selective,     // tells each kind of message to some only
  withholds,     // from one validator
  hides,         // its certificates, from all but one
  vote_sets,     // several certificates of one header
  forges,        // votes and certificates
  lies,          // about time, delay, counts, capacity
  replays,       // old frames, other epochs and chains
  copies,        // others' bundles into its own batches
  asks_a_lot,    // for headers, rounds, batches, checkpoints
  small_change,  // each bundle is a batch
  garbles,       // random bytes
};
inline constexpr std::size_t byzantine_kinds = 15;

const char* word(byzantine_kind);

namespace byzantine {

/// What sits on the links of a validator of this kind; nothing if it is its parameters that are
/// wrong.
/// @param archive what a validator once signed elsewhere, with the same key.
std::shared_ptr<behaviour> make(byzantine_kind, const insider& who,
                                std::function<signature(validator_id, byte_span)> archive);

}  // namespace byzantine

}  // namespace flamingo::sim
