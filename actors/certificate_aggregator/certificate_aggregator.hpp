// CERTIFICATE AGGREGATOR: votes in, certificates out (paper section 2, "proof of availability").
// It collects the votes for this validator's headers, pairs certificates with their headers,
// fetches what is missing, and gives out complete certified headers in causal order.
//
// Pure state machine: the same state and input give the same effects. The shell in
// certificate_aggregator_actor.hpp checks signatures and performs the effects.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "actors/certificate_aggregator/fetcher.hpp"
#include "actors/dag/graph.hpp"
#include "actors/dag/screening.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/verified.hpp"

namespace flamingo::certificate_aggregator {

/// Votes that make a certificate: a quorum (n - f).
std::size_t votes_needed(const committee& members);

// -- inputs -----------------------------------------------------------------------------------

/// The neighbours are known: what was restored is to be announced.
struct started {};
/// A header whose author's signature the primary checked, or one whose verified certificate is
/// here. Of our own: start to collect votes for it.
struct header_known {
  signed_header x;
};
struct vote_received {
  verified<vote> x;
};
struct certificate_received {
  verified<certificate> x;
};
/// The answer to a question of ours.
struct certified_received {
  validator_id from;
  verified<certified_header> x;
};
struct headers_requested {
  validator_id from;
  header_request what;
};
struct range_requested {
  validator_id from;
  round_range what;
};
/// A peer has not kept what was asked of it.
struct range_missing {
  validator_id from;
  range_gone what;
};
/// A commit is durable.
struct floor_raised {
  round_number floor;
  commit_index index;
};
struct link_restored {
  validator_id peer;
};
struct link_lost {
  validator_id peer;
};
/// Time has passed.
struct ticked {};

using input = std::variant<started, header_known, vote_received, certificate_received,
                           certified_received, headers_requested, range_requested, range_missing,
                           floor_raised, link_restored, link_lost, ticked>;

// -- effects ----------------------------------------------------------------------------------

struct certificate_to {
  validator_id peer;
  certificate what;
};
struct header_to {
  validator_id peer;
  signed_bytes what;
};
struct range_gone_to {
  validator_id peer;
  range_gone what;
};
struct stored_to {
  validator_id peer;
  dag_position what;
};

/// What the shell must do. Performed top to bottom: what the first fields say is durable before
/// anything below them leaves.
struct effects {
  std::vector<certified_header> complete;  // store; then, below, give to both sinks in this order
  std::optional<round_number> store_floor;
  std::optional<round_number> forget;  // delete the stored rounds below this one

  std::vector<certificate> announce;  // own ones, to all peers
  // Here `complete` is given out.
  std::optional<round_number> give_stored;  // give out again what is stored above this round
  std::vector<certificate_to> certificates;
  std::vector<header_to> headers;  // own uncertified ones, to who has not voted
  std::vector<request_to> requests;
  std::vector<range_request_to> range_requests;
  std::vector<stored_to> serve;  // answer from the store
  std::vector<range_request_to> serve_ranges;
  std::vector<range_gone_to> gone;
  /// What comes next here, f+1 others have not kept: only a checkpoint helps.
  bool left_behind = false;

  std::vector<reject> rejected;  // counted in metrics, nothing else
};

// -- state ------------------------------------------------------------------------------------

/// What the store holds at a start.
struct restored {
  round_number floor;
  std::vector<header> complete;                          // above the floor
  std::vector<certificate> own_certificates;             // of own headers among them
  std::vector<std::pair<dag_position, digest>> history;  // at or below the floor
};

class core {
public:
  core(validator_id self, const committee& members, const protocol_parameters& protocol,
       const local_parameters& local, const restored& stored);

  effects step(time_point now, input in);
  /// When to step again with `ticked` if nothing comes before.
  std::optional<time_point> next_deadline() const;

  // What to do with an unchecked message.
  dag::screening screen(const vote&) const;
  dag::screening screen(const certificate&) const;
  dag::screening screen(validator_id from, const certified_header&) const;
  /// Whether a verified certificate waits for this header: then its votes need no check.
  bool waits_for(const header&) const;

  round_number round() const { return dag_.quorum_round(); }
  round_number highest_seen() const { return ranges_.highest_seen(); }
  std::size_t waiting() const { return pending_.size() + certificates_.size(); }
  std::size_t fetching() const { return fetcher_.size(); }

private:
  struct collecting {
    signed_header own;
    std::map<validator_id, signature> votes;
    time_point resend;
    duration back_off{};
  };
  /// A header that waits for what this link of it leads to.
  struct waiter {
    dag_position who;
    dag::link to;
  };
  struct incomplete {
    certified_header x;
    std::size_t missing = 0;
  };
  struct allowance {
    std::uint64_t headers = 0;
    time_point refilled;
  };

  dag::screening screen_alone(const certificate&) const;

  void on(const started&, effects&);
  void on(header_known, effects&);
  void on(vote_received, effects&);
  void on(certificate_received, effects&);
  void on(certified_received, effects&);
  void on(const headers_requested&, effects&);
  void on(const range_requested&, effects&);
  void on(const range_missing&, effects&);
  void on(const floor_raised&, effects&);
  void on(const link_restored&, effects&);
  void on(const link_lost&, effects&);
  void on(const ticked&, effects&);

  void collect(signed_header own);
  void keep(signed_header x);
  void withdraw_hints(const header& kept);
  /// Takes a certified header: completes it or keeps it until its ancestors are complete.
  void accept(certified_header x, effects&);
  void complete(certified_header x, effects&);
  round_number newest_waiting() const;
  bool has_place(round_number) const;
  void make_place(round_number, effects&);
  void let_newest_go();
  void want(const std::vector<dag::link>& missing, const certified_header& of);
  std::vector<dag::link> missing_of(const header& x) const;
  /// Whether a header is here, complete or not, or will be because its certificate is.
  bool knows(const digest& id) const { return certified_.contains(id) || dag_.contains(id); }
  void fetch(effects&);
  void resend(effects&);
  void drop_below_floor();
  void reconsider_pending(effects&);
  round_number oldest_to_keep(const floor_raised& in);
  bool may_serve(validator_id peer, std::uint64_t headers);
  round_number first_kept() const {
    return stored_rounds_.empty() ? dag_.floor() + 1 : stored_rounds_.begin()->first;
  }
  round_number frontier() const { return std::max(dag_.quorum_round(), dag_.floor()); }
  /// The last round of which anything but the fact that it exists is kept: as far as the primary
  /// lets headers wait.
  round_number horizon() const {
    return frontier() + 1 + protocol_.round_limit + protocol_.gc_depth;
  }
  round_number last_to_fetch() const { return frontier() + range_sync::far; }

  validator_id self_;
  committee members_;
  protocol_parameters protocol_;
  local_parameters local_;
  time_point now_;

  dag::graph dag_;                                        // complete, above the floor
  std::map<round_number, collecting> own_;                // own headers without a certificate
  std::map<round_number, certificate> own_certificates_;  // above the floor
  std::map<dag_position, signed_header> headers_;         // of peers, without a certificate
  std::map<dag_position, certificate> certificates_;      // verified, without a header
  std::map<dag_position, incomplete> pending_;            // with ancestors missing
  // Both are looked up, never walked.
  std::unordered_map<digest, std::vector<waiter>> waiting_for_;  // who misses what
  std::unordered_set<digest> certified_;  // headers of certificates_ and pending_

  fetcher fetcher_;
  range_sync ranges_;
  dag::author_set up_;    // peers whose link is up
  dag::author_set gone_;  // peers that have not kept the round that comes next here

  std::unordered_map<digest, dag_position> stored_;  // looked up, never walked
  std::map<round_number, std::vector<digest>> stored_rounds_;
  std::deque<round_number> checkpoint_floors_;  // of the newest checkpoints, the oldest first
  std::vector<allowance> allowances_;           // by peer

  time_point stalled_at_;  // own newest certificate is announced again
  duration stall_back_off_{};
  round_number stall_round_;
};

}  // namespace flamingo::certificate_aggregator
