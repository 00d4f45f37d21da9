#include "crypto/checkpoint_checks.hpp"

namespace flamingo::crypto {

namespace {

bool signed_by(validator_id who, const digest& what, const signature& sig,
               const signature_scheme& scheme, const committee& members) {
  return members.has(who) && scheme.verify(members.validators[who.value].key,
                                           checkpoint_statement(context_of(members), what), sig);
}

}  // namespace

digest ledger_digest(byte_span ledger) {
  return hash(tags::ledger, ledger);
}

digest checkpoint_digest(const checkpoint_summary& x) {
  return hasher(tags::checkpoint)
      .number(x.index)
      .update(x.state_root)
      .update(x.ledger)
      .number(x.ledger_bytes)
      .finish();
}

std::optional<verified<checkpoint>> check_checkpoint(const signature_scheme& scheme,
                                                     const committee& members, validator_id author,
                                                     const checkpoint& x) {
  if (!signed_by(author, x.state, x.sig, scheme, members)) return std::nullopt;
  return verified<checkpoint>::after_check(x);
}

std::optional<verified<checkpoint_proof>> check_proof(const signature_scheme& scheme,
                                                      const committee& members,
                                                      checkpoint_proof x) {
  const std::size_t needed = members.validity();
  if (x.signatures.size() < needed) return std::nullopt;
  x.signatures.resize(needed);
  const digest what = checkpoint_digest(x.what);
  for (std::size_t i = 0; i < needed; ++i) {
    const auto& [who, sig] = x.signatures[i];
    if (i > 0 && who <= x.signatures[i - 1].first) return std::nullopt;
    if (!signed_by(who, what, sig, scheme, members)) return std::nullopt;
  }
  return verified<checkpoint_proof>::after_check(std::move(x));
}

}  // namespace flamingo::crypto
