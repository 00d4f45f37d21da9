// What a client counted since it started. In transactions unless said otherwise. Plain.
#pragma once

#include <array>
#include <string>

#include "actors/client/latency_histogram.hpp"
#include "messages/client.hpp"
#include "messages/execution.hpp"

namespace flamingo::client {

inline constexpr std::size_t result_codes_max = 16;

struct summary {
  client_id client;
  std::uint64_t offered = 0;      // due by the rate
  std::uint64_t sent = 0;         // in bundles that left
  std::uint64_t admitted = 0;     // in bundles that a validator took
  std::uint64_t busy = 0;         // in bundles answered busy or relay-limited, each time
  std::uint64_t completed = 0;    // in bundles with f+1 equal receipts
  std::uint64_t duplicated = 0;   // in bundles for which f+1 receipts said two different commits
  std::uint64_t invalid = 0;      // in bundles given up because f+1 validators call them invalid
  std::uint64_t waiting = 0;      // due, and in no bundle yet
  std::uint64_t outstanding = 0;  // in bundles without f+1 receipts
  std::uint64_t lost = 0;         // once finished: the part of them that was admitted
  std::uint64_t bundles = 0;      // bundles that left
  std::uint64_t receipts = 0;     // bundles with f+1 equal receipts
  std::uint64_t resent = 0;       // bundles sent again to the same validator
  std::uint64_t relayed = 0;      // bundles sent to a validator that is not their assignee
  std::uint64_t redirected = 0;   // redirects obeyed
  std::uint64_t resequenced = 0;  // bundles whose sequence was taken: sent again under another
  std::uint64_t forged = 0;       // messages of receipts with a wrong signature or wrong results
  std::array<std::uint64_t, result_codes_max> results{};  // by result_code
  commit_index newest_commit;
  round_number newest_anchor_round;
  latency_histogram latency;       // from the intended send time to f+1 receipts
  latency_histogram sent_latency;  // from the first sending to f+1 receipts
  bool finished = false;           // the load is over, and nothing is worth waiting for
  std::string warning;

  /// Of `completed`, those whose result codes no carrier told.
  std::uint64_t results_not_heard() const {
    std::uint64_t heard = 0;
    for (const auto x : results) heard += x;
    return completed > heard ? completed - heard : 0;
  }

  friend bool operator==(const summary&, const summary&) = default;
};

}  // namespace flamingo::client
