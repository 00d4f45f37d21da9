// Who of several peers is to be asked for something that each of them may have: whoever left a
// question of ours without an answer least often. So a silent or overloaded peer costs one time-out
// a turn of all, not one for each object.
#pragma once

#include <optional>
#include <vector>

#include "messages/identifiers.hpp"

namespace flamingo::dag {

class punctuality {
public:
  explicit punctuality(std::size_t validators) : late_(validators) {}

  /// It owed an answer for too long, or cannot give it.
  void late(validator_id peer) { ++late_[peer.value]; }

  /// Of the `candidates` for whom `may` holds, the most punctual one, the first of equals.
  template <class May>
  std::optional<validator_id> best(const std::vector<validator_id>& candidates, May may) const {
    std::optional<validator_id> result;
    for (const validator_id peer : candidates)
      if (may(peer) && (!result || late_[peer.value] < late_[result->value])) result = peer;
    return result;
  }

private:
  std::vector<std::uint64_t> late_;  // times, by validator
};

}  // namespace flamingo::dag
