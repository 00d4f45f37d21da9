// Which of the other validators' headers this one votes for (paper section 2; design: the certified
// DAG, "Headers and votes"). Part of the primary's core: pure.
//
// No rule here looks at a clock or at a local parameter: one honest skewed clock together with f
// silent validators would halt the chain. Local bounds only decide how much may wait.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/dag/graph.hpp"
#include "actors/dag/screening.hpp"
#include "actors/local_parameters.hpp"
#include "actors/primary/asked_batch.hpp"
#include "actors/primary/evidence_book.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/batch.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"

namespace flamingo::primary {

/// A header to be voted for: durable with its bytes before the vote leaves.
struct ballot {
  signed_header x;
};

/// Two headers that one author signed for one round.
struct evidence {
  dag_position where;
  std::uint32_t slot = 0;                   // where it is kept, of this author
  digest first;                             // voted for, or waiting
  std::optional<signed_bytes> first_bytes;  // absent: they are stored with the vote
  signed_bytes second;
};

/// What this validator's worker says of a batch that it stores.
struct batch_facts {
  digest id;
  validator_id author;
  worker_id worker;
  std::uint32_t transactions = 0;
  digest counts_digest;
};

/// A vote that was cast before a restart.
struct cast_vote {
  dag_position where;
  digest header;
};

class voter {
public:
  /// What a step decided.
  struct outcome {
    std::vector<ballot> votes;
    std::vector<dag_position> repeat;  // the stored vote is sent again
    std::vector<evidence> caught;
    std::vector<asked_batch> ask;
    std::vector<reject> rejected;
  };

  /// @param genesis the digests of the genesis headers, by validator.
  /// @param barred nothing is voted for up to this round: votes of before may have been lost.
  voter(validator_id self, const committee& members, const protocol_parameters& protocol,
        const local_parameters& local, std::vector<digest> genesis,
        const std::vector<cast_vote>& cast, const std::vector<kept_evidence>& stored,
        round_number barred);

  /// Whether a header is worth a check of its signature (`check`). Looks at what never changes.
  dag::screening screen(const header&, const dag::graph&) const;

  /// A header that its author signed. @param coin_valid its coin share, if it has one, was checked.
  void receive(signed_header x, bool coin_valid, const dag::graph&, outcome&);
  /// The same header again, its signature unchecked. If it still waits for batches, its author is
  /// asked for them, ever more rarely.
  void receive_again(const header&, outcome&);

  /// A certified header became complete. If another one of its author and round was known first,
  /// that is evidence: an equivocator need not show both to one validator.
  void certified(const header&, const signed_bytes&, const dag::graph&, outcome&);
  void available(const batch_facts&, const dag::graph&, outcome&);
  /// A batch was committed: hardly anybody will propose it again.
  void consumed(const digest& batch);
  /// These batches are not there for votes any more, but for those that a waiting header lists.
  withdrawal_noted withdraw(const batch_withdrawal&, const dag::graph&);
  /// A worker (re)started: it may not have heard what was asked.
  void worker_met(worker_id, outcome&) const;
  void floor_raised(const dag::graph&, outcome&);

  std::size_t deferred() const { return pending_.size(); }
  evidence_report held_evidence() const { return book_.report(); }

private:
  /// A header on its way to a vote. It waits for one header, or for batches, or for the round.
  struct candidate {
    signed_header x;
    std::set<digest> stored{};     // its batches that the worker stores, as the header says
    std::optional<digest> link{};  // to a header that is not here
    std::set<digest> missing{};    // its batches of which the worker has not spoken
    bool asked = false;            // it was asked for them
    unsigned repeats = 0;          // times that the header came again

    explicit candidate(signed_header of) : x(std::move(of)) {}
  };
  struct verdict {
    enum class kind : std::uint8_t { vote, wait_for_round, wait, refuse } what;
    reject why{};
  };
  round_number current(const dag::graph&) const;
  std::optional<reject> malformed(const header&) const;
  std::optional<reject> bad_links(const header&) const;
  std::optional<reject> bad_content(const header&) const;
  verdict judge(candidate&, const dag::graph&) const;
  verdict judge_links(candidate&, const dag::graph&) const;
  verdict judge_payload(candidate&) const;
  void decide(candidate, const dag::graph&, outcome&);
  bool defer(candidate, outcome&);
  void reconsider(const digest& arrived, const dag::graph&, outcome&);
  candidate take(dag_position);
  void ask(const candidate&, std::optional<worker_id> of, outcome&, bool late = false) const;
  const digest* known(dag_position) const;
  void keep_evidence(const header& second, const signed_bytes& bytes, outcome&);

  validator_id self_;
  committee members_;
  protocol_parameters protocol_;
  local_parameters local_;
  std::vector<digest> genesis_;
  round_number barred_;
  std::map<dag_position, digest> voted_;  // above the floor
  std::map<dag_position, candidate> pending_;
  std::unordered_map<digest, std::vector<dag_position>> waiting_for_;  // looked up, never walked
  std::set<dag_position> too_high_;
  // What workers said of batches lately, within a bound: what is not here is asked for.
  std::unordered_map<digest, batch_facts> batches_;  // looked up, never walked
  std::vector<std::deque<digest>> batch_order_;      // by author, as they came
  std::vector<std::size_t> pending_of_;              // by author
  std::vector<std::set<round_number>> caught_;  // by author: rounds with evidence, above the floor
  evidence_book book_;
};

}  // namespace flamingo::primary
