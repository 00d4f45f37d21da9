// How many transactions of a batch act on each account: what headers carry so that everyone sees
// where load comes from (paper section 4; design: the certified DAG, "Batches").
//
// Encoded as pairs of varints (account - previous account, transactions), ascending, no zero
// counts, the first account as it is, every varint as short as it can be: so one list has one
// encoding, and its digest, SHA-256(tags::counts, encoding), is over these bytes.
#pragma once

#include <optional>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo {

struct account_count {
  account_id account;
  std::uint32_t transactions = 0;
  friend bool operator==(const account_count&, const account_count&) = default;
};

/// A bound on the encoding of that many transactions' accounts: ten bytes for each account, and a
/// count takes no more bytes than it counts.
constexpr std::size_t counts_bytes_max(std::size_t transactions) {
  return 11 * transactions;
}

/// @param accounts the acting account of each transaction, in any order; sorted on return.
std::vector<byte> encode_counts(std::vector<account_id>& accounts);

/// Nothing for any bytes but an encoding of at most `accounts_max` accounts.
std::optional<std::vector<account_count>> decode_counts(byte_span encoded,
                                                        std::size_t accounts_max);

}  // namespace flamingo
