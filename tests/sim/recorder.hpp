// Gathers the facts of a run for the checkers: listens on the links and watches what becomes
// durable. What shows itself at once, it says at once: a frame that left before its bytes were
// durable.
#pragma once

#include <unordered_map>

#include "messages/committee.hpp"
#include "messages/dag_limits.hpp"
#include "storage/memory_kv.hpp"
#include "tests/sim/batch_watch.hpp"
#include "tests/sim/checkers/durability.hpp"
#include "tests/sim/checkers/history.hpp"
#include "tests/sim/checkers/violation.hpp"
#include "tests/sim/outcome_watch.hpp"
#include "tests/sim/tap.hpp"

namespace flamingo::sim {

class recorder final : public tap {
public:
  recorder(std::shared_ptr<const committee> members, const protocol_parameters& protocol,
           const std::set<validator_id>& byzantine);

  /// @param now tells the virtual time.
  void read_clock(std::function<time_point()> now) { now_ = std::move(now); }

  /// @param history tells how long a validator's store keeps committed batches at least.
  void read_history(std::function<duration(validator_id)> history) {
    history_ = std::move(history);
  }

  /// From the world: these changes are durable on v's disk.
  void durable(validator_id v, const storage::write_batch& changes);
  /// v lost power: `platter` is what it kept.
  void crashed(validator_id v, storage::memory_kv& platter);
  /// v, which is down, will never be back.
  void died(validator_id v) { facts_.of[v.value].dead = true; }
  /// The disk of v, which is down, was lost: what it promised to keep is gone with it, but it must
  /// not contradict itself.
  void wiped(validator_id v);

  void left(link::peer from, link::peer to, const worker_frame& x) override;
  void arrived(link::peer from, link::peer to, const peer_frame& x) override;
  void arrived(link::peer from, link::peer to, const worker_frame& x) override;
  void arrived(link::peer from, link::peer to, const client_frame& x) override;
  void arrived(link::peer from, link::peer to, const operator_frame& x) override;

  const checkers::history& facts() const { return facts_; }
  /// What was seen as it happened.
  const checkers::violations& seen() const { return seen_; }

private:
  /// What is durable of a validator's votes and headers, as its writes say.
  struct durable_view {
    std::map<dag_position, digest> votes;
    std::map<round_number, digest> headers;
    std::set<digest> batches, erased_batches;
    round_number floor;
    batch_watch owed;
    outcome_watch outcomes;
  };

  bool honest(validator_id v) const { return facts_.of[v.value].honest; }
  void put(validator_id v, storage::table where, byte_span key, const shared_bytes& value);
  void note_joined(validator_id v, const storage::write_batch& changes);
  void put_commit(validator_id v, commit_index index, const shared_bytes& bytes);
  void put_certified(validator_id v, const shared_bytes& bytes);
  void put_batch(validator_id v, const shared_bytes& bytes);
  void put_vote(validator_id v, byte_span key, const shared_bytes& row);
  void judge_deletions(validator_id v, const storage::write_batch& changes);
  void judge_snapshot(validator_id v);
  void voted(validator_id v, const vote& x);
  void sent_header(validator_id v, const digest& id, round_number round);
  void expect_links(validator_id v, const digest& header, const std::string& text);
  void told(client_id c, validator_id from, const receipts& x);
  void early(validator_id v, const std::string& what);

  std::shared_ptr<const committee> members_;
  dag_limits limits_;
  std::function<time_point()> now_;
  std::function<duration(validator_id)> history_;
  checkers::history facts_;
  std::vector<checkers::promises> promises_;  // by validator
  std::vector<checkers::promises> earlier_;   // by validator: votes and headers of lost disks
  std::vector<std::set<digest>> certified_;   // by validator: what its stores got
  std::vector<durable_view> disks_;           // by validator
  std::map<std::pair<client_id, bundle_sequence>, digest> offered_;
  /// Of all headers that were sent. Looked up, never walked.
  std::unordered_map<digest, std::vector<std::pair<round_number, digest>>> links_;
  std::vector<peer_frame> recent_;  // headers already looked at: a frame goes to many
  std::size_t next_recent_ = 0;
  checkers::violations seen_;
};

}  // namespace flamingo::sim
