// Receipts for one bundle sequence, until f+1 distinct validators say the same (design:
// ordering-layer balancing, "A receipt"): then at least one of them is honest, and honest ones
// agree. Pure.
#pragma once

#include <map>
#include <optional>

#include "messages/client.hpp"

namespace flamingo::client {

/// What an honest validator cannot say differently from another one.
struct receipt_statement {
  digest bundle;
  commit_index index;
  digest results_digest;
  friend bool operator==(const receipt_statement&, const receipt_statement&) = default;
};

class receipt_votes {
public:
  bool has(validator_id from) const { return said_.contains(from); }
  /// Whether at least one honest validator has committed it: f+1 say so, be it differently.
  bool prove_commit(std::size_t validity) const { return said_.size() >= validity; }

  /// The first thing that a validator says counts.
  /// @returns the statement that `validity` validators make, if this one completes it.
  std::optional<receipt_statement> add(validator_id from, const receipt_statement& x,
                                       std::size_t validity) {
    if (!said_.emplace(from, x).second) return std::nullopt;
    std::size_t equal = 0;
    for (const auto& [who, what] : said_) equal += what == x ? 1 : 0;
    return equal == validity ? std::optional(x) : std::nullopt;
  }

private:
  std::map<validator_id, receipt_statement> said_;
};

}  // namespace flamingo::client
