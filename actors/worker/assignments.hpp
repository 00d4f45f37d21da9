// The account-assignment table as a worker knows it: the committee file's assignees and what moved
// since (design: ordering-layer balancing, "Lifecycle"). Pure.
#pragma once

#include <map>
#include <optional>

#include "messages/client.hpp"
#include "messages/committee.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo::worker {

class assignments {
public:
  /// @returns false for a version that is not newer than what is known.
  bool apply(const assignment_update& update) {
    if (update.version <= version_) return false;
    version_ = update.version;
    for (const auto& move : update.moves) moved_[move.account] = move.assignee;
    return true;
  }

  /// The one assignee of all acting accounts, or of the first that is not `expected`'s.
  /// @param operations packed; of accounts of `owner`.
  validator_id assignee_of(byte_span operations, const client_info& owner,
                           validator_id expected) const {
    if (moved_.empty()) return owner.assignee;
    operation_reader reader(operations);
    while (const auto x = reader.next()) {
      const auto found = moved_.find(x->account);
      const validator_id assignee = found == moved_.end() ? owner.assignee : found->second;
      if (assignee != expected) return assignee;
    }
    return expected;
  }

private:
  table_version version_;
  std::map<account_id, validator_id> moved_;
};

}  // namespace flamingo::worker
