// The dissemination worker: bundles in, batches to the peers, operations to the executors, receipts
// to the clients (paper sections 2 and 4; design: the certified DAG, "Batches"; ordering-layer
// balancing, "Accounts, clients, bundles"; execution-layer balancing, "The stream").
//
// Pure state machine. Its parts: ingress (the clients' door), egress (own batches to the peers),
// batch_records (what is stored), orphans (what of it to give up), batch_fetcher (what is missing),
// receipt_book (answers).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "actors/committer/client_windows.hpp"
#include "actors/errors.hpp"
#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"
#include "actors/worker/assignments.hpp"
#include "actors/worker/batch_fetcher.hpp"
#include "actors/worker/batch_records.hpp"
#include "actors/worker/egress.hpp"
#include "actors/worker/fair_queue.hpp"
#include "actors/worker/ingress.hpp"
#include "actors/worker/orphans.hpp"
#include "actors/worker/receipt_book.hpp"
#include "actors/worker/uncommitted_bound.hpp"
#include "messages/batch.hpp"
#include "messages/checked_batch.hpp"
#include "messages/committee.hpp"
#include "messages/execution.hpp"
#include "messages/validator.hpp"
#include "messages/verified.hpp"

namespace flamingo::worker {

// -- inputs

/// Rebuild is over, or the primary or the committer restarted: tell the neighbours what is here.
struct started {};
struct client_up {
  client_id client;
};
/// A bundle came over a client's link. Nobody has looked at it.
struct bundle_arrived {
  client_id from;
  waiting_bundle bundle;
  bool store_full = false;  // the store's queue is above its bound
};
/// What came of a bundle that `next_check` gave out.
struct bundle_checked {
  client_id from;
  verified<checked_bundle> bundle;
};
struct bundle_refused {
  client_id from;
  waiting_bundle bundle;
  bundle_fault why;
};
/// A client sent what is no message, or a bundle larger than any.
struct garbage_arrived {
  client_id from;
  bundle_fault why = bundle_fault::malformed;
  bundle_sequence claimed{};  // by a bundle
};
struct query_arrived {
  client_id from;
  bundle_sequence sequence;
};
struct peer_up {
  validator_id peer;
};
struct peer_down {
  validator_id peer;
};
/// A batch came over a peer's link. Nobody has looked at it.
struct batch_arrived {
  validator_id from;
  batch_view batch;
  shared_bytes frame;
  bool store_full = false;  // the store's queue is above its bound
};
/// What came of a batch that `next_check` gave out.
struct batch_checked {
  validator_id from;
  verified<checked_batch> batch;
};
struct batch_known {
  validator_id from;
  digest id;
};
struct batch_refused {
  validator_id from;
  bundle_fault why;
};
/// The batch that a `seal_order` asked for.
struct batch_sealed {
  checked_batch batch;
};
/// These batches of `effects::store` are durable.
struct batches_durable {
  std::vector<digest> ids;
};
struct stored_arrived {
  validator_id from;
  batch_stored stored;
};
struct request_arrived {
  validator_id from;
  batch_request request;
};
/// A peer lacks what was asked of it.
struct absence_told {
  validator_id from;
  batches_absent absent;
};
struct sub_dag_sequenced {
  sequenced_sub_dag sub_dag;
};
/// A commit is durable. The stream that reaches workers may be behind, at the executors' pace.
struct commit_noticed {
  commit_notice notice;
};
struct batches_wanted {
  std::vector<wanted_batch> batches;
};
/// The primary has to know which of these are durable.
struct availability_asked {
  availability_question question;
};
/// The primary's answer to a withdrawal, or the committer's.
struct withdrawal_answered {
  withdrawal_noted noted;
};
struct bundles_executed {
  executed_bundles executed;
};
struct executor_left {
  executor_id executor;
};
struct executor_met {
  executor_id executor;
};
struct execution_advanced {
  execution_progress progress;
};
/// An executor has a snapshot to make count: are the outcomes up to it in the store?
struct outcomes_asked {
  std::uint64_t ticket = 0;
  std::uint64_t life = 0;  // of the executors' group
  commit_index index;
};
struct table_changed {
  assignment_update update;
};
/// This validator's state is not the others': it must not admit or receipt. Batches still go round.
struct diverged {};
struct time_passed {};

using input = std::variant<started, client_up, bundle_arrived, bundle_checked, bundle_refused,
                           garbage_arrived, query_arrived, peer_up, peer_down, batch_arrived,
                           batch_checked, batch_known, batch_refused, batch_sealed, batches_durable,
                           stored_arrived, request_arrived, absence_told, sub_dag_sequenced,
                           commit_noticed, batches_wanted, availability_asked, withdrawal_answered,
                           bundles_executed, executor_met, executor_left, execution_advanced,
                           outcomes_asked, table_changed, diverged, time_passed>;

// -- what next_check gives out

struct bundle_check {
  client_id from;
  waiting_bundle bundle;
};
struct batch_check {
  validator_id from;
  batch_view batch;
  shared_bytes frame;
};
using check = std::variant<bundle_check, batch_check>;

/// Under which reason a fault is counted.
reject reject_of(bundle_fault);

// -- effects

struct seal_order {
  batch_sequence sequence;
  std::vector<checked_bundle> bundles;
};

/// The operations of a batch for the executors. Without `operations` they are to be read from the
/// store (unless no bundle is fresh).
struct payload_order {
  commit_index index;
  batch_key batch;
  std::vector<bool> fresh;  // for each bundle
  std::shared_ptr<const packed_operations> operations;

  bool any_fresh() const;
};

/// What the shell must do, top to bottom. What is in a step's effects depends on nothing that is
/// not durable yet: what must wait for the batches of `store` comes as effects of
/// `batches_durable`.
struct effects {
  std::vector<reject> rejected;  // counted in metrics, nothing else
  /// To be built and handed in again as `batch_sealed`, at once.
  std::vector<seal_order> seals;
  std::vector<batch_send> batches;
  std::vector<batch_send> served;  // answers to requests: after everything else on a link
  std::vector<std::pair<validator_id, batch_stored>> acks;
  std::vector<std::pair<validator_id, batches_absent>> absent;
  batch_fetcher::requests requests;
  std::vector<batch_available> available;
  std::optional<batch_withdrawal> withdrawal;
  std::vector<batch_index> indexes;
  std::vector<batch_key> stored_indexes;  // to be read from the store
  std::vector<payload_order> payload;
  std::vector<std::pair<client_id, client_message>> to_clients;
  std::vector<receipt_order> receipts;
  /// To be made durable; then `batches_durable`.
  std::vector<checked_batch> store;
  /// Written without anybody waiting for it: the log has output these batches, and these clients'
  /// windows changed; these batches may go: the first were executed, the others never will be.
  std::vector<std::pair<commit_index, batch_key>> committed;
  std::vector<std::pair<commit_index, batch_key>> outdated;  // instead of these earlier notes
  std::vector<client_id> windows;
  std::vector<batch_records::deletion> deletions;
  std::vector<batch_key> given_up;
  /// Outcomes of bundles, written likewise.
  outcome_changes outcomes;
  /// Tickets of `outcomes_asked`: yes, once all of the above and before is durable; and those that
  /// an earlier life of the executors' group asked, to which nobody listens any more.
  std::vector<std::uint64_t> outcomes_kept, outcomes_void;
};

// -- state

struct parameters {
  validator_id self;
  worker_id worker;
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  local_parameters local;
};

class core {
public:
  explicit core(parameters with);

  // What the store held, before the first step.
  void restore(const batch_available& stored, batch_sequence sequence,
               const std::vector<bundle_head>& bundles, std::optional<commit_index> committed,
               time_point now);
  void restore(client_id client, committer::client_window window);
  void restore(client_id client, outcome x) { receipts_.restore(client, std::move(x)); }
  void restore(commit_index newest, round_number anchor_round);

  effects step(time_point now, input in);

  /// Work that takes long: one bundle or batch to be checked. Peers' batches go first, as they are
  /// what the validators owe each other, but clients always get a turn.
  std::optional<check> next_check();
  bool has_checks() const { return !received_.empty() || bundles_wait(); }

  std::optional<time_point> next_deadline() const;

  /// Whether a batch is here or on its way to the store.
  bool knows(const digest& batch) const { return records_.find(batch) != nullptr; }
  const committer::client_window* window_of(client_id client) const;
  const outcome* outcome_of(client_id client, bundle_sequence sequence) const {
    return receipts_.find(client, sequence);
  }
  round_number anchor_round() const { return anchor_round_; }
  commit_index newest_commit() const { return newest_; }

  // For metrics.
  std::uint64_t ingress_bytes() const { return ingress_.bytes(); }
  std::uint64_t uncommitted_bytes() const { return records_.uncommitted_bytes(with_.self); }
  std::uint64_t history_bytes() const { return records_.history_bytes(); }
  std::uint64_t sent_again() const { return egress_.sent_again(); }
  std::size_t batches() const { return records_.size(); }
  std::size_t wanted() const { return fetcher_.size(); }

private:
  /// A bundle of a client that is here, from its arrival until the log consumes its sequence.
  struct held_bundle {
    std::uint64_t mark = 0;  // of its signature: tells the same bundle from another one
    bool admitted = false;
  };
  struct pending_bundle {
    checked_bundle bundle;
    client_id from;
  };
  /// What an own batch holds of its clients' windows until a quorum has it.
  struct charge {
    client_id from;
    std::uint64_t bytes;
  };
  struct own_batch {
    batch_available announcement;
    std::vector<charge> charges;
    std::optional<time_point> sealed;  // in this life
    bool at_quorum =
        false;  // it was announced; kept until it is committed, as the primary may restart
  };

  void on(started, effects&);
  void on(client_up, effects&);
  void on(bundle_arrived, effects&);
  void on(bundle_checked, effects&);
  void on(bundle_refused, effects&);
  void on(garbage_arrived, effects&);
  void on(query_arrived, effects&);
  void on(peer_up, effects&);
  void on(peer_down, effects&);
  void on(batch_arrived, effects&);
  void on(batch_checked, effects&);
  void on(batch_known, effects&);
  void on(batch_refused, effects&);
  void on(batch_sealed, effects&);
  void on(batches_durable, effects&);
  void on(stored_arrived, effects&);
  void on(request_arrived, effects&);
  void on(absence_told, effects&);
  void on(sub_dag_sequenced, effects&);
  void on(commit_noticed, effects&);
  void on(batches_wanted, effects&);
  void on(availability_asked, effects&);
  void on(withdrawal_answered, effects&);
  void on(bundles_executed, effects&);
  void on(executor_met, effects&);
  void on(executor_left, effects&);
  void on(execution_advanced, effects&);
  void on(outcomes_asked, effects&);
  void on(table_changed, effects&);
  void on(diverged, effects&) { diverged_ = true; }
  void on(time_passed, effects&) {}

  void answer(client_id, bundle_sequence, admission::answer, effects&);
  void refuse(client_id, bundle_sequence, bundle_fault, effects&);
  void answer_duplicate(client_id, bundle_sequence, effects&);
  std::optional<admission::busy> busy(bool store_full) const;
  std::optional<admission::answer> admission_of(client_id from, const checked_bundle&);
  bool consumed(client_id, bundle_sequence) const;
  bool serves(client_id client) const;
  void say_where_we_are(client_id, effects&);
  void seal_if_due(effects&);
  void seal(effects&);
  void release(const pending_bundle&);
  void release(const std::vector<charge>&);
  bool too_many_uncommitted(validator_id author, std::uint64_t bytes) const;
  const char* closed_by() const;
  bool bundles_wait() const { return !ingress_.empty() && !closed_by(); }
  void store(checked_batch, effects&);
  void announce(const digest& id, const batch_record&, effects&);
  void committed_by(commit_index, const batch_key&, effects&);
  bool may_promise(const batch_record&) const;
  void promised(const digest& id, const batch_record&);
  void acknowledged(validator_id from, const batch_stored&, effects&);
  void consume(const sequenced_bundle&, std::set<client_id>& changed);
  void expect_outcomes(const sequenced_sub_dag&);
  void output(const sequenced_sub_dag&, const sequenced_batch&, effects&);
  void forget_executed();
  void give_up_orphans(effects&);
  void want(const wanted_batch&, effects&);
  void cache(const digest& id, std::shared_ptr<const packed_operations>);
  std::shared_ptr<const packed_operations> uncache(const digest& id);
  std::optional<time_point> seal_deadline() const;
  void answer_about_outcomes(effects&);
  commit_index executed() const;
  commit_index snapshot() const;

  parameters with_;
  time_point now_{};  // of the step under way

  // clients
  ingress ingress_;
  assignments assignments_;
  std::map<client_id, std::map<bundle_sequence, held_bundle>> held_;
  std::map<client_id, committer::client_window> windows_;  // hints: what the log has consumed
  std::vector<pending_bundle> pending_;                    // the next batch
  std::uint64_t pending_bytes_ = 0;                        // its frame's size
  std::uint64_t pending_transactions_ = 0;
  /// Of a batch: however many accounts these act on, a header has room for the counts.
  std::uint64_t transactions_max_;
  time_point pending_since_{};
  receipt_book receipts_;

  // batches
  batch_sequence next_sequence_{1};
  egress egress_;
  std::map<batch_sequence, own_batch> own_;  // that no quorum has yet
  fair_queue<validator_id, batch_check> received_;
  std::vector<std::uint64_t> received_bytes_;  // that wait, of each peer
  std::vector<rate_limit> refused_of_;         // of each peer, batches: an honest one sends none
  std::uint32_t batches_in_a_row_ = 0;
  batch_records records_;
  uncommitted_bound uncommitted_;                       // of own ones
  std::map<digest, std::vector<bundle_head>> storing_;  // the indexes of batches not yet durable
  orphans orphans_;  // of records_: others' that are durable, but for what is history
  batch_fetcher fetcher_;
  std::vector<rate_limit> serving_;  // answers to requests, bytes a second, of each peer

  // the log and the executors
  commit_index newest_;
  round_number anchor_round_;
  bool knows_the_log_ = false;    // since this start
  round_number sequenced_round_;  // the same of the newest sub-DAG that came
  std::map<digest, std::vector<payload_order>> payload_wanted_;  // until the batch is here
  struct packed_batch {
    std::shared_ptr<const packed_operations> operations;
    std::uint64_t number = 0;
  };
  std::map<digest, packed_batch> packed_;         // until the batch is sent to the executors
  std::map<std::uint64_t, digest> packed_order_;  // of packed_, oldest first
  std::uint64_t packed_count_ = 0, packed_bytes_ = 0;
  struct executor_state {
    commit_index executed, snapshot;
    std::uint64_t life = 0;
  };
  std::map<executor_id, executor_state> executors_;
  std::deque<std::pair<commit_index, time_point>> unexecuted_;  // sub-DAGs, and when they came
  std::vector<outcomes_asked> outcomes_asked_;  // that wait until all executors are so far
  bool diverged_ = false;
};

}  // namespace flamingo::worker
