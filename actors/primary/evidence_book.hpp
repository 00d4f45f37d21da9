// Which equivocations of others this validator can prove, and where their signed headers are kept
// (design: the certified DAG, "Headers and votes"). Part of the primary's core: pure.
#pragma once

#include <map>
#include <vector>

#include "messages/validator.hpp"

namespace flamingo::primary {

/// An equivocation whose signed headers are stored.
struct kept_evidence {
  std::uint32_t slot = 0;  // where, of its author
  equivocation what;
};

class evidence_book {
public:
  /// The most equivocations that a report lists.
  static constexpr std::size_t newest_max = 256;

  /// @param stored what the store held at a start, of members of the committee alone.
  evidence_book(std::size_t validators, std::uint32_t max_of_each,
                const std::vector<kept_evidence>& stored);

  /// @returns the slot for its signed headers. Of an author with `max_of_each` the one of the
  /// lowest round makes place.
  std::uint32_t add(const equivocation&);

  /// No author's evidence hides another's: the newest of each comes first, then the second of each.
  evidence_report report() const;

private:
  std::uint32_t max_of_each_;
  std::vector<std::map<std::uint32_t, equivocation>> kept_;  // by author and slot
};

}  // namespace flamingo::primary
