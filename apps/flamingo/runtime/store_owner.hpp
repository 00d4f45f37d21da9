// Whose store a directory holds: its first use writes the chain and the validator into it, and
// every later one compares (design: operations; demand 14).
#pragma once

#include <filesystem>
#include <string>

#include "messages/committee.hpp"
#include "storage/kv.hpp"

namespace flamingo::runtime {

/// Claims an empty store for validator `self` of `members`, durably; or checks that it is its own.
/// Throws config::error, which names `directory` and both values.
/// @param when_empty becomes durable together with the claim.
void claim_store(storage::kv& store, const std::string& directory, const committee& members,
                 validator_id self, storage::write_batch when_empty = {});

/// `init` puts a file into each validator's data directory that says that it has never run: without
/// it an empty store is a lost one, and must not sign what it may have signed before.
void mark_never_run(const std::filesystem::path& data);
bool never_ran(const std::filesystem::path& data);
/// The store is claimed: from now on it has run.
void unmark_never_run(const std::filesystem::path& data);

}  // namespace flamingo::runtime
