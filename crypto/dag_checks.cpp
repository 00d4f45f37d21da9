#include "crypto/dag_checks.hpp"

namespace flamingo::crypto {

namespace {

bool signed_by(validator_id who, const signing_input& statement, const signature& sig,
               const signature_scheme& scheme, const committee& members) {
  return members.has(who) && scheme.verify(members.validators[who.value].key, statement, sig);
}

/// Cuts `x.votes` to the first `needed`, if these are right.
bool check_votes(const signature_scheme& scheme, const committee& members, certificate& x,
                 std::size_t needed) {
  if (!members.has(x.author) || x.votes.size() < needed) return false;
  x.votes.resize(needed);
  const auto statement = vote_statement(context_of(members), x.header, x.author, x.round);
  for (std::size_t i = 0; i < needed; ++i) {
    const auto& [voter, sig] = x.votes[i];
    if (i > 0 && voter <= x.votes[i - 1].first) return false;
#if !FLAMINGO_MUTANT_certificate_unchecked
    if (!signed_by(voter, statement, sig, scheme, members)) return false;
#endif
  }
  return true;
}

}  // namespace

std::optional<verified<signed_header>> check_header(const signature_scheme& scheme,
                                                    const committee& members, signed_header x) {
  const auto statement = header_statement(context_of(members), x.hdr.id);
  if (!signed_by(x.hdr.author, statement, x.bytes.sig, scheme, members)) return std::nullopt;
  return verified<signed_header>::after_check(std::move(x));
}

std::optional<verified<vote>> check_vote(const signature_scheme& scheme, const committee& members,
                                         const vote& x) {
  const auto statement = vote_statement(context_of(members), x.header, x.author, x.round);
  if (!signed_by(x.voter, statement, x.sig, scheme, members)) return std::nullopt;
  return verified<vote>::after_check(x);
}

std::optional<verified<certificate>> check_certificate(const signature_scheme& scheme,
                                                       const committee& members, certificate x,
                                                       std::size_t needed) {
  if (!check_votes(scheme, members, x, needed)) return std::nullopt;
  return verified<certificate>::after_check(std::move(x));
}

std::optional<verified<certified_header>> check_certified(const signature_scheme& scheme,
                                                          const committee& members,
                                                          certified_header x, std::size_t needed) {
  if (!check_votes(scheme, members, x.cert, needed)) return std::nullopt;
  return verified<certified_header>::after_check(std::move(x));
}

}  // namespace flamingo::crypto
