// Whose store a directory holds: its first use writes the chain and the validator into it, and
// every later one compares (design: operations; demand 14).
#pragma once

#include <string>

#include "messages/committee.hpp"
#include "storage/kv.hpp"

namespace flamingo::runtime {

/// Claims an empty store for validator `self` of `members`, durably; or checks that it is its own.
/// Throws config::error, which names `directory` and both values.
void claim_store(storage::kv& store, const std::string& directory, const committee& members,
                 validator_id self);

}  // namespace flamingo::runtime
