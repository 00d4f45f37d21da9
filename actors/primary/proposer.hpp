// When this validator proposes its header of the next round and what is in it (paper section 2;
// design: the certified DAG, "Headers and votes"). Part of the primary's core: pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "actors/dag/graph.hpp"
#include "actors/dag/limits.hpp"
#include "actors/local_parameters.hpp"
#include "actors/primary/asked_batch.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"

namespace flamingo::primary {

/// An own batch that a quorum of validators stores.
struct own_batch {
  payload_entry entry;
  std::chrono::microseconds waited{};  // sealed until a quorum had acknowledged it
};

/// An own header as it was stored before a restart.
struct stored_header {
  signed_header x;
  bool output = false;  // a commit has output it: what it carried is done with
};

class proposer {
public:
  /// @param barred no header is proposed up to this round: own ones of before may have been lost.
  proposer(validator_id self, const committee& members, const protocol_parameters& protocol,
           const local_parameters& local, std::vector<digest> genesis, round_number anchor,
           const std::vector<stored_header>& stored, round_number barred);

  void start(time_point now);
  /// A batch is available. Saying so again changes nothing.
  /// @returns false if no header has room for its counts: then it is never proposed.
  bool available(own_batch);
  /// @returns false if it waits already, or too many do.
  bool offer(const control_record&);
  /// A certified header was added to `dag`.
  void grown(time_point now, const dag::graph& dag);
  struct outcome {
    std::vector<round_number> output;  // own headers that were output
    std::vector<asked_batch> ask;      // which died with their headers
  };
  /// A commit output these headers and raised the floor of `dag`.
  outcome committed(round_number anchor, const std::vector<digest>& output,
                    const std::vector<digest>& dead_payload, const dag::graph& dag);

  /// The header to propose now, if it is time: complete but for its coin share and identity. The
  /// next call must be `proposed`.
  std::optional<header> propose(time_point now, const dag::graph& dag);
  void proposed(const signed_header& own);
  /// When `propose` gives a header if nothing else happens; nothing while a quorum is missing.
  std::optional<time_point> due(const dag::graph& dag) const;

  /// Own headers above the floor that are not certified, oldest first.
  std::vector<signed_header> uncertified(const dag::graph& dag) const;
  round_number last_round() const { return last_round_; }
  std::size_t waiting_batches() const { return queue_.size(); }

private:
  struct own_header {
    signed_header x;
    std::vector<digest> payload;
    bool output = false;
  };
  struct batch {
    payload_entry entry;
    bool proposed = false;  // or it is in queue_
  };

  round_number next_round(const dag::graph& dag) const { return dag.quorum_round() + 1; }
  /// Beyond 2 x gc_depth rounds above the last anchor: no payload, and slowly.
  bool paced(round_number r) const { return r.value > anchor_.value + 2 * protocol_.gc_depth; }
  duration grace() const;
  void take_payload(header& into);
  void take_parents(header& into, const dag::graph& dag) const;
  void take_weak_links(header& into, const dag::graph& dag) const;
  void died(const digest& id, round_number floor, outcome& out);
  void forget(const own_header& x);

  validator_id self_;
  committee members_;
  protocol_parameters protocol_;
  local_parameters local_;
  std::vector<digest> genesis_;
  std::size_t counts_bytes_max_;  // of a batch

  bool started_ = false;
  bool signing_ = false;  // a header was given out and waits for its signature
  round_number anchor_;
  round_number last_round_;     // of our newest header
  time_point last_created_at_;  // its created_at: the next one's is later
  time_point last_proposed_;    // when, by our clock
  round_number full_round_;     // the last round that became full
  time_point full_at_;          // and when
  duration mean_round_;

  std::map<round_number, own_header> own_;     // above the floor
  std::unordered_map<digest, batch> batches_;  // looked up, never walked
  std::deque<digest> queue_;                   // batches to propose
  std::map<digest, round_number> died_;        // with their headers, at which floor
  std::vector<control_record> control_;        // repeated until committed
  std::chrono::microseconds waited_{};         // of batches since the last header
  std::uint64_t waits_ = 0;
};

}  // namespace flamingo::primary
