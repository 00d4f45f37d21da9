// What the committer's shell keeps in the store, and reads back at a start: table `commits` holds
// Sequenced frames by index, table `state` the rest.
#pragma once

#include "actors/committer/committer.hpp"
#include "actors/committer/records.hpp"
#include "actors/interfaces.hpp"
#include "storage/kv.hpp"

namespace flamingo::committer {

/// @param chain becomes the digest over all committed sub-DAGs.
/// @throws storage::error with one line if what the store holds is not what a committer wrote.
recovered recover(storage::kv&, digest& chain);

/// Everything of a commit, in one transaction.
storage::write_batch writes_of(const commit&, const digest& chain, const sequenced_frame&);

/// The ledger of the newest commit that was given to the store.
ledger read_ledger(storage::kv&);

/// Puts a checkpoint's ledger in the place of all that a committer keeps.
void install(storage::write_batch&, const ledger&);

}  // namespace flamingo::committer
