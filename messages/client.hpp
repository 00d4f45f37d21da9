// Bundles, admission answers and receipts as plain values (design: ordering-layer balancing,
// "Accounts, clients, bundles"). Transactions are not here: they are read in place from a bundle's
// bytes, without a copy.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/signed_bytes.hpp"

namespace flamingo {

/// Everything about a bundle except its transactions.
struct bundle_head {
  digest id;  // over the signed body
  client_id client;
  bundle_sequence sequence;
  validator_id assignee;
  round_number expires;  // the last anchor round at which it may be executed
  std::uint32_t transactions = 0;
  bool system = false;  // holds system transactions

  friend bool operator==(const bundle_head&, const bundle_head&) = default;
};

/// What became of a bundle at a worker's door.
namespace admission {
struct admitted {
  friend bool operator==(admitted, admitted) = default;
};
struct redirect {
  validator_id assignee;
  friend bool operator==(redirect, redirect) = default;
};
struct busy {
  std::chrono::milliseconds retry_after{};
  std::string limit;  // the setting that names the limit that was reached
  friend bool operator==(const busy&, const busy&) = default;
};
struct relay_limited {
  std::chrono::milliseconds retry_after{};
  std::string limit;
  friend bool operator==(const relay_limited&, const relay_limited&) = default;
};
struct invalid {
  std::string reason;
  friend bool operator==(const invalid&, const invalid&) = default;
};
struct duplicate {
  friend bool operator==(duplicate, duplicate) = default;
};
using answer = std::variant<admitted, redirect, busy, relay_limited, invalid, duplicate>;
}  // namespace admission

/// One validator's word that a bundle was committed and executed. Equal at all honest validators
/// but for `results`, which only the carrier fills in (`results_digest` vouches for them).
struct receipt {
  client_id client;
  bundle_sequence sequence;
  digest bundle;
  commit_index index;
  digest results_digest;
  std::vector<byte> results;  // a result_code for each transaction

  friend bool operator==(const receipt&, const receipt&) = default;
};

struct receipts {
  validator_id validator;
  round_number anchor_round;
  std::vector<receipt> list;

  friend bool operator==(const receipts&, const receipts&) = default;
};
inline constexpr std::size_t max_receipts_per_message = 1024;
inline constexpr std::size_t max_receipts_bytes = 1 << 20;  // of such a message, as workers cut it

/// The first thing that a client hears on a link.
struct welcome {
  validator_id validator;
  bundle_sequence low;        // the client's lowest sequence that is not consumed there
  round_number anchor_round;  // of the newest commit there

  friend bool operator==(const welcome&, const welcome&) = default;
};

struct assignment_move {
  account_id account;
  validator_id assignee;

  friend bool operator==(const assignment_move&, const assignment_move&) = default;
};

/// The account-assignment table changed.
struct assignment_update {
  table_version version;
  std::vector<assignment_move> moves;

  friend bool operator==(const assignment_update&, const assignment_update&) = default;
};

// -- the conversation between a client and a worker

struct signed_bundle {
  signed_bytes parts;
};
struct signed_receipts {
  signed_bytes parts;
};
struct admission_answer {
  bundle_sequence sequence;
  admission::answer what;

  friend bool operator==(const admission_answer&, const admission_answer&) = default;
};
struct receipt_query {
  bundle_sequence sequence;
  friend bool operator==(const receipt_query&, const receipt_query&) = default;
};
using client_message = std::variant<signed_bundle, admission_answer, signed_receipts, welcome,
                                    assignment_update, receipt_query>;
/// Those that a client says.
using client_request = std::variant<signed_bundle, receipt_query>;

/// Why a bundle or batch is invalid for good, at any validator and time of a committee epoch.
enum class bundle_fault : std::uint8_t {
  none,
  malformed,              // not a bundle, or with trailing bytes
  too_large,              // max_bundle_bytes
  too_many_transactions,  // max_transactions_per_bundle
  operation_too_large,    // max_operation_bytes
  too_many_accounts,      // a batch: no header has room for its account counts
  unknown_client,         // not in the committee file
  unknown_assignee,       // no validator
  foreign_account,        // acts on an account that the client does not own
  bad_signature,
};
std::string_view to_string(bundle_fault x);

/// A transaction that a client is about to put into a bundle.
struct planned_transaction {
  static constexpr std::size_t operation_max = 39;  // bytes

  account_id account;
  std::uint64_t due = 0;  // the client's own number of it: tells when it was to be sent
  std::uint8_t size = 0;  // of the operation, bytes
  std::array<byte, operation_max> operation{};

  byte_span bytes() const { return {operation.data(), size}; }
};

}  // namespace flamingo
