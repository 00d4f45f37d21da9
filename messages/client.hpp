// Bundles, admission answers and receipts as plain values (design: ordering-layer balancing,
// "Accounts, clients, bundles"). Transactions are not here: they are read in place from a bundle's
// bytes, without a copy.
#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

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
  friend bool operator==(busy, busy) = default;
};
struct relay_limited {
  std::chrono::milliseconds retry_after{};
  friend bool operator==(relay_limited, relay_limited) = default;
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
};

struct welcome {
  validator_id validator;
  bundle_sequence low;
  round_number anchor_round;
};

struct assignment_move {
  account_id account;
  validator_id assignee;
};

}  // namespace flamingo
