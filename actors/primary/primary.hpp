// PRIMARY: proposes this validator's header of each round and votes for the others' (paper section
// 2; design: the certified DAG, "Headers and votes").
//
// Pure state machine: the same state and input give the same effects. The shell in
// primary_actor.hpp checks and makes signatures and performs the effects.
#pragma once

#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "actors/primary/proposer.hpp"
#include "actors/primary/voter.hpp"
#include "messages/batch.hpp"
#include "messages/validator.hpp"
#include "messages/verified.hpp"

namespace flamingo::primary {

// -- inputs -----------------------------------------------------------------------------------

/// The neighbours are known: begin.
struct started {};
/// A peer's header. @param coin_valid its coin share was checked and is right (or it has none).
struct header_received {
  verified<signed_header> x;
  bool coin_valid = false;
};
/// A header that `screen` said to ignore: the stored vote, if there is one, is sent again.
struct header_repeated {
  header x;
};
/// The shell signed what `effects::propose` asked for.
struct header_signed {
  signed_header x;
};
/// A certified header is complete: all its ancestors above the floor came before it.
struct header_certified {
  header x;
  signed_bytes bytes;
};
/// A batch is durable here; an own one: at a quorum.
struct batch_announced {
  batch_available x;
};
/// Batches of others are not there for votes any more.
struct batches_withdrawn {
  batch_withdrawal x;
};
struct record_offered {
  control_record x;
};
/// A commit is durable.
struct committed {
  commit_notice x;
};
struct link_restored {
  validator_id peer;
};
/// A worker was introduced; if not for the first time, it or the way to it was lost for a while.
struct worker_met {
  worker_id worker;
};
/// Time has passed.
struct ticked {};

using input = std::variant<started, header_received, header_repeated, header_signed,
                           header_certified, batch_announced, batches_withdrawn, record_offered,
                           committed, link_restored, worker_met, ticked>;

// -- effects ----------------------------------------------------------------------------------

struct header_to {
  validator_id peer;
  signed_bytes what;
};
struct noted_to {
  worker_id worker;
  withdrawal_noted what;
};
struct progress {
  round_number floor, anchor;
};

/// What the shell must do. Performed top to bottom: what the first fields say is durable before
/// anything below them leaves.
struct effects {
  std::vector<signed_header> store_own;  // and, below, its own vote to the aggregator
  std::vector<ballot> votes;             // store with the header's bytes; below, send to its author
  std::vector<evidence> caught;          // store
  std::vector<round_number> output;      // store: these own headers were output
  std::optional<progress> store_progress;  // and delete what is at or below the floor

  std::vector<signed_bytes> hand_over;  // checked headers, own and peers', to the aggregator
  std::vector<signed_bytes> broadcast;  // own ones, to all peers
  // Here the votes leave.
  std::vector<signed_header> own_votes;  // vote for these own headers, to the aggregator
  std::vector<dag_position> repeat;      // send the stored votes to their headers' authors again
  std::vector<header_to> headers;        // own uncertified ones
  std::vector<asked_batch> ask;          // the workers, whether these are durable
  std::optional<noted_to> noted;         // the answer to a withdrawal

  /// To be given its coin share if `carries_coin_share`, encoded, hashed and signed; the result is
  /// the next step's input.
  std::optional<header> propose;

  std::vector<reject> rejected;       // counted in metrics, nothing else
  std::uint32_t dropped_records = 0;  // control records beyond the bound
};

// -- state ------------------------------------------------------------------------------------

/// What the store holds at a start.
struct restored {
  progress at;
  std::vector<cast_vote> votes;    // above the floor
  std::vector<stored_header> own;  // above the floor, and the newest in any case
  std::vector<kept_evidence> evidence;
  round_number barred;  // a lost store: neither vote nor propose up to this round
};

class core {
public:
  /// @param genesis the digests of the genesis headers, by validator.
  core(validator_id self, const committee& members, const protocol_parameters& protocol,
       const local_parameters& local, const std::vector<digest>& genesis, const restored& stored);

  effects step(time_point now, input in);
  /// When to step again with `ticked` if nothing comes before.
  std::optional<time_point> next_deadline() const { return proposer_.due(dag_); }

  /// What to do with a header whose signature is not checked yet.
  dag::screening screen(const header& x) const { return voter_.screen(x, dag_); }

  round_number round() const { return proposer_.last_round(); }
  round_number floor() const { return dag_.floor(); }
  std::size_t deferred() const { return voter_.deferred(); }
  evidence_report held_evidence() const { return voter_.held_evidence(); }
  std::size_t waiting_batches() const { return proposer_.waiting_batches(); }

private:
  void on(const started&, effects&);
  void on(header_received, effects&);
  void on(const header_repeated&, effects&);
  void on(header_signed, effects&);
  void on(const header_certified&, effects&);
  void on(batch_announced, effects&);
  void on(const batches_withdrawn&, effects&);
  void on(const record_offered&, effects&);
  void on(const committed&, effects&);
  void on(const link_restored&, effects&);
  void on(const worker_met&, effects&);
  void on(const ticked&, effects&) {}
  void take(voter::outcome, effects&);

  validator_id self_;
  time_point now_;
  dag::graph dag_;  // complete certified headers above the floor
  voter voter_;
  proposer proposer_;
  std::unordered_map<digest, std::vector<digest>> payload_;  // of headers in dag_, until output
};

}  // namespace flamingo::primary
