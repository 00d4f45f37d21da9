// The one place that lists every actor interface of Flamingo, its atoms and its type ids.
//
// A role knows its neighbours through the narrow interfaces ("sinks") below: a typed handle of a
// whole role is assignable to any of them. What crosses actors is wire<T>, identifiers and handles,
// never a pointer.
#pragma once

#include <caf/replies_to.hpp>
#include <caf/type_id.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include "actors/frames.hpp"
#include "actors/link/priority.hpp"

CAF_ADD_ATOM(flamingo, flamingo::atom, transmit, "transmit")
CAF_ADD_ATOM(flamingo, flamingo::atom, close, "close")
CAF_ADD_ATOM(flamingo, flamingo::atom, link_up, "linkUp")
CAF_ADD_ATOM(flamingo, flamingo::atom, link_down, "linkDown")
CAF_ADD_ATOM(flamingo, flamingo::atom, meet, "meet")
CAF_ADD_ATOM(flamingo, flamingo::atom, start, "start")
CAF_ADD_ATOM(flamingo, flamingo::atom, tick, "tick")
CAF_ADD_ATOM(flamingo, flamingo::atom, durable, "durable")
CAF_ADD_ATOM(flamingo, flamingo::atom, replay, "replay")
CAF_ADD_ATOM(flamingo, flamingo::atom, status, "status")
CAF_ADD_ATOM(flamingo, flamingo::atom, work, "work")
CAF_ADD_ATOM(flamingo, flamingo::atom, roles, "roles")
CAF_ADD_ATOM(flamingo, flamingo::atom, diverged, "diverged")
CAF_ADD_ATOM(flamingo, flamingo::atom, leave, "leave")
CAF_ADD_ATOM(flamingo, flamingo::atom, group, "group")
CAF_ADD_ATOM(flamingo, flamingo::atom, ready, "ready")
CAF_ADD_ATOM(flamingo, flamingo::atom, scale, "scale")
CAF_ADD_ATOM(flamingo, flamingo::atom, recorded, "recorded")

namespace flamingo {

/// LINK: one connection to a peer. It is a typed actor like any other; what it cannot send it drops
/// (the roles send again what matters), and it says so in its metrics.
template <class Message>
using link_actor = caf::typed_actor<
    // Queue a frame; higher priorities leave first.
    caf::reacts_to<atom::transmit, link_priority, wire<Message>>,
    // Close the connection after what is queued has left.
    caf::reacts_to<atom::close>>;

using peer_link = link_actor<schema::PeerMessage>;
using worker_link = link_actor<schema::WorkerMessage>;
using client_link = link_actor<schema::ClientMessage>;
using operator_link = link_actor<schema::OperatorMessage>;

// -- how the roles see each other
// -----------------------------------------------------------------------------

/// PRIMARY, as workers see it.
using availability_sink = caf::typed_actor<
    // A batch is durable here; an own one: at a quorum of validators.
    caf::reacts_to<available_frame>,
    // Batches of others are not there for votes any more: answer with the highest round voted for.
    caf::reacts_to<withdrawal_frame>>;

/// WORKER, as the primary sees it.
using availability_source = caf::typed_actor<
    // Batches that the primary has to know of: say again which are durable here.
    caf::reacts_to<question_frame>,
    // A withdrawal is noted.
    caf::reacts_to<noted_frame>>;

/// CERTIFICATE AGGREGATOR, as the primary sees it.
using header_sink = caf::typed_actor<
    // A header whose signature was checked: an own one (start to collect votes) or a peer's (keep
    // it, its certificate may come).
    caf::reacts_to<signed_frame>,
    // Our own vote for our own header, as if it had come over a link.
    caf::reacts_to<validator_id, peer_frame>>;

/// PRIMARY and COMMITTER, as the certificate aggregator sees them.
using certified_sink = caf::typed_actor<
    // A complete certificate with its header: all its ancestors above the floor came before it.
    caf::reacts_to<certified_frame>>;

/// COMMITTER, as workers see it.
using index_sink = caf::typed_actor<
    // The bundles of a batch that is durable here.
    caf::reacts_to<index_frame>,
    // Batches of others whose index is not to be used any more: answer with the newest commit.
    caf::reacts_to<withdrawal_frame>>;

/// WORKER, as the committer sees it.
using sequenced_sink = caf::typed_actor<
    // A committed sub-DAG: give its operations to the executors.
    caf::reacts_to<sequenced_frame>,
    // Batches whose index the committer lacks: answer with it, after fetching them if need be.
    caf::reacts_to<wanted_frame>,
    // A withdrawal is noted.
    caf::reacts_to<noted_frame>,
    // A commit is durable.
    caf::reacts_to<committed_frame>>;

/// EXECUTOR, as the committer, the workers and the other executors see it.
using stream_sink = caf::typed_actor<
    // A committed sub-DAG as sequenced.
    caf::reacts_to<sequenced_frame>,
    // The operations of one of its batches.
    caf::reacts_to<payload_frame>,
    // Values pushed by their owner.
    caf::reacts_to<pushed_frame>,
    // A master asks for values that this executor owns.
    caf::reacts_to<requested_frame>,
    // Result codes for bundles of which this executor has the first transaction.
    caf::reacts_to<results_frame>,
    // Changed leaves of the state tree (to executor 0).
    caf::reacts_to<leaves_frame>>;

/// A snapshot is to count: answered when the results up to this sub-DAG are durable. The number is
/// the life of the executors' group.
using results_question =
    caf::replies_to<atom::recorded, commit_index, std::uint64_t>::with<commit_index>;

/// WORKER, as executors see it.
using executed_sink = caf::typed_actor<
    // Bundles whose results are complete: answer their clients.
    caf::reacts_to<executed_frame>,
    // How far an executor is.
    caf::reacts_to<progress_frame>, results_question>;

/// COMMITTER, as executors see it.
using progress_sink = caf::typed_actor<
    // How far an executor is.
    caf::reacts_to<progress_frame>,
    // An executor (re)started from a snapshot: send the stream from the sub-DAG after this index.
    // The number is the life of its group: a roll-back begins another one.
    caf::reacts_to<atom::replay, executor_id, commit_index, std::uint64_t>>;

/// COMMITTER, WORKERS, EXECUTORS and OPERATOR DESK, as the executor group sees them.
using executors_sink = caf::typed_actor<
    // An executor was started, perhaps in the place of another one.
    caf::reacts_to<atom::meet, executor_id, stream_sink>,
    // It has left for good.
    caf::reacts_to<atom::leave, executor_id>>;

/// COMMITTER, as the executor group sees it.
using group_keeper = executors_sink::extend<
    // How far an executor is; it wants the stream (for the executors).
    caf::reacts_to<progress_frame>,
    caf::reacts_to<atom::replay, executor_id, commit_index, std::uint64_t>,
    // Which executors execute what comes after this commit?
    caf::replies_to<atom::group, commit_index>::with<group_log>,
    // The group is to have so many executors: answered when that stands in the log.
    caf::replies_to<atom::group, std::uint16_t>::with<group_log>>;

/// WORKER, as the executor group sees it.
using executors_worker = executors_sink::extend<caf::reacts_to<executed_frame>,
                                                caf::reacts_to<progress_frame>, results_question>;

/// EXECUTOR GROUP, as executors see it.
using group_sink = caf::typed_actor<
    // How far an executor is.
    caf::reacts_to<progress_frame>>;

/// EXECUTOR GROUP, as the operator desk sees it.
using scale_sink = caf::typed_actor<
    // One executor more or less, or (0) only the report: answered when it stands in the log.
    caf::replies_to<atom::scale, std::int8_t>::with<operator_frame>>;

/// EXECUTOR, as the snapshot keeper sees it.
using durable_sink = caf::typed_actor<
    // What it gave to be stored is durable.
    caf::reacts_to<atom::durable, std::uint64_t>>;

/// SNAPSHOT KEEPER: keeps the parts of snapshots on the validator's storage host. Each life of the
/// group has one of its own, so that nobody hears who belongs to an earlier one.
using snapshot_keeper = caf::typed_actor<
    // Buckets to be stored.
    caf::reacts_to<durable_sink, snapshot_chunk_frame>,
    // Buckets of the snapshot that an executor starts from.
    caf::replies_to<snapshot_wanted_frame>::with<snapshot_part_frame>>;

/// PRIMARY and AGGREGATOR, as the committer sees them.
using committed_sink = caf::typed_actor<
    // A commit is durable: the floor rose; own batches of dead headers are to be proposed again.
    caf::reacts_to<committed_frame>>;

/// LOAD MONITOR, as the committer sees it.
using signals_sink = caf::typed_actor<
    // What the headers of a commit said of their authors' load.
    caf::reacts_to<signals_frame>>;

/// MIGRATION COORDINATOR, as the committer sees it.
using control_sink = caf::typed_actor<
    // The control records of a commit, in log order.
    caf::reacts_to<committed_control_frame>>;

/// CHECKPOINTER, as the committer sees it.
using checkpoint_sink = caf::typed_actor<
    // A checkpoint's commit is durable, with its ledger.
    caf::reacts_to<ledger_frame>,
    // The control records of a commit, in log order.
    caf::reacts_to<committed_control_frame>,
    // The executors' newest state root.
    caf::reacts_to<progress_frame>>;

/// COMMITTER and WORKER, as the checkpointer sees them.
using divergence_sink = caf::typed_actor<
    // At this checkpoint this validator's state was not the others': do nothing that depends on it.
    caf::reacts_to<atom::diverged, commit_index>>;

/// STATE SOURCE, as the checkpointer sees it.
using state_source = caf::typed_actor<
    // A peer's request for buckets of a snapshot: answer over its link.
    caf::reacts_to<peer_link, peer_frame>>;

/// PRIMARY, as the migration coordinator and the checkpointer see it.
using record_sink = caf::typed_actor<
    // A control record for the next headers.
    caf::reacts_to<control_frame>>;

/// WORKER, as the migration coordinator sees it.
using assignment_sink = caf::typed_actor<
    // The account-assignment table changed.
    caf::reacts_to<assignment_frame>>;

// -- the roles
// ------------------------------------------------------------------------------------------------

/// PRIMARY: proposes this validator's header of each round and votes for others'.
using primary_actor =
    caf::typed_actor<caf::reacts_to<atom::meet, header_sink>,
                     caf::reacts_to<atom::meet, worker_id, availability_source>,
                     // Rebuild is over and the neighbours are known: begin.
                     caf::reacts_to<atom::start>,
                     // A link to another primary is up (or down): send again what it may lack.
                     caf::reacts_to<atom::link_up, validator_id, peer_link>,
                     caf::reacts_to<atom::link_down, validator_id, peer_link>,
                     // A header from the link of a validator (its author is who signed it).
                     caf::reacts_to<validator_id, peer_frame>, caf::reacts_to<certified_frame>,
                     caf::reacts_to<available_frame>, caf::reacts_to<withdrawal_frame>,
                     caf::reacts_to<committed_frame>, caf::reacts_to<control_frame>,
                     // Whom this validator can prove to have equivocated.
                     caf::replies_to<atom::status>::with<evidence_frame>,
                     // The store has made durable all writes up to this ticket of ours.
                     caf::reacts_to<atom::durable, std::uint64_t>,
                     // The armed timer.
                     caf::reacts_to<atom::tick>>;

/// CERTIFICATE AGGREGATOR: votes in, certificates out; owns the certificate store and fetches what
/// is missing.
using aggregator_actor =
    caf::typed_actor<caf::reacts_to<atom::meet, certified_sink>, caf::reacts_to<atom::start>,
                     caf::reacts_to<atom::link_up, validator_id, peer_link>,
                     caf::reacts_to<atom::link_down, validator_id, peer_link>,
                     // A vote, certificate, certified header or request from the link of a
                     // validator.
                     caf::reacts_to<validator_id, peer_frame>, caf::reacts_to<signed_frame>,
                     caf::reacts_to<committed_frame>, caf::reacts_to<atom::durable, std::uint64_t>,
                     caf::reacts_to<atom::tick>>;

/// COMMITTER: Tusk's total order and the sequencer.
using committer_actor = caf::typed_actor<
    caf::reacts_to<atom::meet, worker_id, sequenced_sink>,
    caf::reacts_to<atom::meet, executor_id, stream_sink>, caf::reacts_to<atom::leave, executor_id>,
    caf::replies_to<atom::group, commit_index>::with<group_log>,
    caf::replies_to<atom::group, std::uint16_t>::with<group_log>,
    caf::reacts_to<atom::meet, committed_sink>, caf::reacts_to<atom::meet, signals_sink>,
    caf::reacts_to<atom::meet, control_sink>, caf::reacts_to<atom::meet, checkpoint_sink>,
    caf::reacts_to<atom::start>, caf::reacts_to<atom::diverged, commit_index>,
    caf::reacts_to<certified_frame>, caf::reacts_to<index_frame>, caf::reacts_to<withdrawal_frame>,
    caf::reacts_to<progress_frame>,
    caf::reacts_to<atom::replay, executor_id, commit_index, std::uint64_t>,
    caf::replies_to<atom::status>::with<operator_frame>,
    caf::reacts_to<atom::durable, std::uint64_t>, caf::reacts_to<atom::tick>>;

/// LOAD MONITOR: a load-balancing decision from committed signals alone.
using load_monitor_actor = caf::typed_actor<caf::reacts_to<signals_frame>>;

/// MIGRATION COORDINATOR: the account-assignment table and its changes.
using coordinator_actor =
    caf::typed_actor<caf::reacts_to<atom::meet, record_sink>,
                     caf::reacts_to<atom::meet, worker_id, assignment_sink>,
                     caf::reacts_to<atom::start>, caf::reacts_to<committed_control_frame>>;

/// CHECKPOINTER: proves to validators that come back what the log and the state were, and notices
/// if this one's state is not the others'.
using checkpointer_actor =
    caf::typed_actor<caf::reacts_to<atom::meet, record_sink>,
                     caf::reacts_to<atom::meet, divergence_sink>,
                     caf::reacts_to<atom::meet, worker_id, divergence_sink>,
                     caf::reacts_to<atom::meet, state_source>, caf::reacts_to<atom::start>,
                     // What it tells others of is the newest of these.
                     caf::reacts_to<certified_frame>, caf::reacts_to<ledger_frame>,
                     caf::reacts_to<committed_control_frame>, caf::reacts_to<progress_frame>,
                     // A question of a peer, with the link to answer over.
                     caf::reacts_to<validator_id, peer_link, peer_frame>,
                     caf::reacts_to<atom::durable, std::uint64_t>>;

/// JOINER: runs before the other roles of a validator that lost its store, or is too far behind,
/// and fetches a checkpoint for them.
using joiner_actor =
    caf::typed_actor<caf::reacts_to<atom::start>,
                     caf::reacts_to<atom::link_up, validator_id, peer_link>,
                     caf::reacts_to<atom::link_down, validator_id, peer_link>,
                     caf::reacts_to<validator_id, peer_frame>,
                     caf::reacts_to<atom::durable, std::uint64_t>, caf::reacts_to<atom::tick>>;

/// DISSEMINATION WORKER: bundles in, batches to the peers, operations to the executors, receipts
/// out.
using worker_actor = caf::typed_actor<
    caf::reacts_to<atom::meet, availability_sink>, caf::reacts_to<atom::meet, index_sink>,
    caf::reacts_to<atom::meet, executor_id, stream_sink>, caf::reacts_to<atom::leave, executor_id>,
    caf::reacts_to<atom::start>,
    // A client's link, and what comes over it.
    caf::reacts_to<atom::link_up, client_id, client_link>,
    caf::reacts_to<atom::link_down, client_id, client_link>,
    caf::reacts_to<client_id, client_frame>,
    // The same-index worker of another validator, and what comes from it.
    caf::reacts_to<atom::link_up, validator_id, worker_link>,
    caf::reacts_to<atom::link_down, validator_id, worker_link>,
    caf::reacts_to<validator_id, worker_frame>, caf::reacts_to<sequenced_frame>,
    caf::reacts_to<wanted_frame>, caf::reacts_to<question_frame>, caf::reacts_to<noted_frame>,
    caf::reacts_to<executed_frame>, caf::reacts_to<progress_frame>, results_question,
    caf::reacts_to<assignment_frame>, caf::reacts_to<committed_frame>,
    caf::reacts_to<atom::diverged, commit_index>, caf::reacts_to<atom::durable, std::uint64_t>,
    caf::reacts_to<atom::tick>,
    // To itself: a bundle or batch waits to be checked. One at a time, so that
    // messages that came meanwhile are sorted into their queues first.
    caf::reacts_to<atom::work>>;

/// EXECUTOR WORKER: the whole committed stream in, its share of the state changed, results out.
using executor_actor = caf::typed_actor<
    caf::reacts_to<atom::meet, executor_id, stream_sink>, caf::reacts_to<atom::leave, executor_id>,
    caf::reacts_to<atom::meet, worker_id, executed_sink>, caf::reacts_to<atom::meet, progress_sink>,
    caf::reacts_to<atom::meet, group_sink>,
    // Answered when it has restored its part of the snapshot, and knows whom it was told of before.
    caf::replies_to<atom::ready>::with<executor_id>, caf::reacts_to<atom::start>,
    caf::reacts_to<sequenced_frame>, caf::reacts_to<payload_frame>, caf::reacts_to<pushed_frame>,
    caf::reacts_to<requested_frame>, caf::reacts_to<results_frame>, caf::reacts_to<leaves_frame>,
    caf::reacts_to<atom::durable, std::uint64_t>, caf::reacts_to<atom::tick>>;

/// What an executor begins with.
struct executor_birth {
  executor_id id;
  std::uint64_t life = 0;  // of its group; a roll-back begins another one
  commit_index from;      // it has everything up to this sub-DAG, be it that it is not in the group
  execution_group group;  // of the sub-DAG after it
  std::string scheduler;  // equal in the whole group

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, executor_birth& x) {
    return f(x.id, x.life, x.from, x.group, x.scheduler);
  }
};

/// EXECUTOR HOST: a process of the validator in which executors may run.
using executor_host = caf::typed_actor<
    // Spawn one.
    caf::replies_to<executor_birth, snapshot_keeper>::with<executor_actor>>;

/// EXECUTOR GROUP: spawns the validator's executors, on other hosts if there are some, changes
/// their number, replaces who crashed and then returns all of them to the last snapshot.
using executor_group_actor =
    caf::typed_actor<caf::reacts_to<atom::meet, group_keeper>,
                     caf::reacts_to<atom::meet, worker_id, executors_worker>,
                     caf::reacts_to<atom::meet, executors_sink>,
                     // A host is there, by its address; or it is gone.
                     caf::reacts_to<atom::meet, std::string, executor_host>,
                     caf::reacts_to<atom::leave, std::string>, caf::reacts_to<atom::start>,
                     caf::reacts_to<progress_frame>,
                     caf::replies_to<atom::scale, std::int8_t>::with<operator_frame>,
                     caf::reacts_to<atom::tick>>;

/// OPERATOR DESK: answers an operator's questions over the link they came by.
using operator_desk_actor =
    caf::typed_actor<caf::reacts_to<operator_link, operator_frame>,
                     // Roles that may run in other processes: it tells which of them are gone.
                     caf::reacts_to<atom::meet, worker_id, sequenced_sink>,
                     caf::reacts_to<atom::meet, executor_id, stream_sink>,
                     caf::reacts_to<atom::leave, executor_id>,
                     // Who adds executors and removes them.
                     caf::reacts_to<atom::meet, scale_sink>>;

/// Handles of a validator's roles. In a DIRECTORY's answer: of those that one process runs; handles
/// of others are invalid, lists empty.
struct role_handles {
  primary_actor primary;
  aggregator_actor aggregator;
  committer_actor committer;
  load_monitor_actor load_monitor;
  coordinator_actor coordinator;
  checkpointer_actor checkpointer;
  operator_desk_actor desk;
  std::vector<worker_actor> workers;  // by worker_id
  executor_group_actor executors;
  state_source states;  // with the group's snapshots

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, role_handles& x) {
    return f(x.primary, x.aggregator, x.committer, x.load_monitor, x.coordinator, x.checkpointer,
             x.desk, x.workers, x.executors, x.states);
  }
};

/// DIRECTORY: tells another process of the same validator which roles this one runs.
using directory_actor = caf::typed_actor<caf::replies_to<atom::roles>::with<role_handles>>;

/// CLIENT: SmallBank load, or one transaction; bundles out, f+1 equal receipts in.
using client_actor = caf::typed_actor<caf::reacts_to<atom::start>,
                                      // A link to a validator's worker, and what comes over it.
                                      caf::reacts_to<atom::link_up, validator_id, client_link>,
                                      caf::reacts_to<atom::link_down, validator_id, client_link>,
                                      caf::reacts_to<validator_id, client_frame>,
                                      // No new load from now on; what is outstanding is waited for.
                                      caf::reacts_to<atom::close>,
                                      // Its counts so far.
                                      caf::replies_to<atom::status>::with<summary_frame>,
                                      caf::reacts_to<atom::tick>>;

}  // namespace flamingo

CAF_BEGIN_TYPE_ID_BLOCK(flamingo, caf::first_custom_type_id)

CAF_ADD_TYPE_ID(flamingo, (flamingo::validator_id))
CAF_ADD_TYPE_ID(flamingo, (flamingo::worker_id))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executor_id))
CAF_ADD_TYPE_ID(flamingo, (flamingo::client_id))
CAF_ADD_TYPE_ID(flamingo, (flamingo::commit_index))
CAF_ADD_TYPE_ID(flamingo, (flamingo::link_priority))
CAF_ADD_TYPE_ID(flamingo, (flamingo::signed_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::peer_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::worker_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::client_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::operator_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::evidence_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::certified_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::available_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::question_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::withdrawal_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::noted_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::index_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::wanted_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::sequenced_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::payload_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::pushed_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::requested_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::results_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::leaves_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executed_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::progress_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::committed_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::signals_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::committed_control_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::control_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::assignment_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::summary_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::peer_link))
CAF_ADD_TYPE_ID(flamingo, (flamingo::worker_link))
CAF_ADD_TYPE_ID(flamingo, (flamingo::client_link))
CAF_ADD_TYPE_ID(flamingo, (flamingo::operator_link))
CAF_ADD_TYPE_ID(flamingo, (flamingo::availability_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::availability_source))
CAF_ADD_TYPE_ID(flamingo, (flamingo::header_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::certified_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::index_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::sequenced_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::stream_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executed_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::progress_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::committed_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::signals_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::control_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::ledger_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::checkpoint_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::divergence_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::state_source))
CAF_ADD_TYPE_ID(flamingo, (flamingo::record_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::assignment_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::role_handles))
CAF_ADD_TYPE_ID(flamingo, (flamingo::snapshot_chunk_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::snapshot_wanted_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::snapshot_part_frame))
CAF_ADD_TYPE_ID(flamingo, (flamingo::group_log))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executors_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::group_keeper))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executors_worker))
CAF_ADD_TYPE_ID(flamingo, (flamingo::group_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::scale_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::durable_sink))
CAF_ADD_TYPE_ID(flamingo, (flamingo::snapshot_keeper))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executor_birth))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executor_host))
CAF_ADD_TYPE_ID(flamingo, (flamingo::executor_actor))

CAF_END_TYPE_ID_BLOCK(flamingo)
