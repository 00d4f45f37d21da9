// Checks the signatures of the DAG's messages: what passes becomes verified<T> (paper section 2,
// "every message is authenticated"). Whoever is not in the committee has no right signature.
#pragma once

#include <optional>

#include "crypto/signing.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"
#include "messages/verified.hpp"

namespace flamingo::crypto {

inline signing_context context_of(const committee& members) {
  return {members.chain, members.epoch};
}

/// The author's signature. `x.hdr.id` must be the digest of the body, as decoding makes it.
std::optional<verified<signed_header>> check_header(const signature_scheme&, const committee&,
                                                    signed_header x);

/// The voter's signature.
std::optional<verified<vote>> check_vote(const signature_scheme&, const committee&, const vote& x);

/// `needed` votes of distinct members. What is checked stops at the first wrong signature, and at
/// `needed` right ones: further votes are cut off, any quorum is as good as another. The votes must
/// be ascending by voter, as decoding makes them.
std::optional<verified<certificate>> check_certificate(const signature_scheme&, const committee&,
                                                       certificate x, std::size_t needed);

/// Its certificate: a quorum's votes vouch for the header, so that its author's signature is not
/// looked at.
std::optional<verified<certified_header>> check_certified(const signature_scheme&, const committee&,
                                                          certified_header x, std::size_t needed);

}  // namespace flamingo::crypto
