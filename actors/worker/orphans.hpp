// Batches of others that may never come into the log: their author crashed before it proposed them,
// or lies (design: the certified DAG, "Batches"). They are given up, so that the store does not
// grow with each crash. Pure.
//
// A validator owes a batch to the others only if it voted for a header that lists it, and only
// until that header is output or dead: a header is certified by a quorum of votes, among which f+1
// are of honest validators, and all of these hold its batches. And it owes a batch to its own
// executors if its committer sequenced it: that takes no more than the batch's index, and the
// header may be one that others voted for. So a batch is given up in three steps:
//   1. No commit has output it for `age_rounds` of the log: the primary and the committer are told
//      that it is withdrawn. From then on it is not there for a vote, and its index, which the
//      committer may have kept, not to be sequenced from.
//   2. The primary answers with the highest round that it has voted for a header of. Every header
//      that lists the batch and that this validator voted for is of that round at most. The
//      committer answers with the anchor round of the newest commit that it has sequenced. What it
//      sequences later has the batch only if it has asked for its index again.
//   3. The log's floor, as far as the stream of sub-DAGs has come, has passed both rounds: each of
//      those headers is dead for everyone, or was output (then so was the batch), and none of those
//      commits has output the batch. It is deleted.
// Who asks for the batch between 1 and 3, as a header lists it after all, gets it back. After 3 the
// author is asked for it, as for any batch that a header lists and that is late. How long is waited
// is a matter of cost, never of safety.
//
// A batch that was output takes the same steps, the first one at once: a liar's other header may
// list it as well, or again, and nobody could go on without its bundles if that header is output
// when all have deleted them. After 3 it is history.
//
// All that is told to the primary and the committer is told again when they restarted or were out
// of reach, and starts anew here with step 1: answers of before are void.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "messages/batch.hpp"

namespace flamingo::worker {

class orphans {
public:
  struct settings {
    std::uint64_t age_rounds = 0;
    std::uint64_t gc_depth = 0;
  };
  /// Batches of one withdrawal, at most: more than a commit can output in the long run.
  static constexpr std::size_t withdrawn_at_once = 4096;

  explicit orphans(settings with) : with_(with) {}

  /// Another validator's batch that no commit has output is durable here, or is wanted again. The
  /// log is at `anchor`.
  void watch(const digest&, round_number anchor);
  /// One that was output is durable here: it is withdrawn next.
  void watch_output(const digest&);
  bool watches(const digest& id) const { return watched_.contains(id); }
  /// The log was further than was known: at `anchor`. What is watched came no earlier.
  void found_at(round_number anchor);

  /// Step 1. The log is at `anchor`. Nothing if nothing is old enough.
  std::optional<batch_withdrawal> withdraw(round_number anchor);
  /// Step 2. What one of the two does not want withdrawn is watched as if it had just come.
  void noted(const withdrawal_noted&, round_number anchor);
  /// Step 3. They are forgotten here.
  std::vector<digest> take_dead(round_number anchor);

private:
  struct watched {
    round_number due;                   // it is withdrawn when the log has passed this
    std::uint64_t withdrawal = 0;       // its number, if it is withdrawn
    std::optional<round_number> until;  // the floor must pass this; once both have answered
  };
  struct asked {
    std::set<digest> batches;
    bool by_primary = false, by_committer = false;  // it was answered
    round_number until;                             // the higher of the answers
  };
  using entry = std::map<digest, watched>::iterator;
  void unfile(entry);
  void file(const digest&, round_number due);

  settings with_;
  std::map<digest, watched> watched_;
  std::set<std::pair<round_number, digest>> by_due_;  // by `due`: those that are not withdrawn
  std::map<std::uint64_t, asked> unanswered_;         // by withdrawal
  std::set<std::pair<round_number, digest>> by_end_;  // by `until`
  std::uint64_t withdrawals_ = 0;
};

}  // namespace flamingo::worker
