// What crosses actors beside handles: frames, and the plain values that CAF carries as they are.
#pragma once

#include "messages/execution.hpp"
#include "messages/frame.hpp"
#include "messages/identifiers.hpp"
#include "messages/schema/client.capnp.h"
#include "messages/schema/dag.capnp.h"
#include "messages/schema/migration.capnp.h"
#include "messages/schema/signed.capnp.h"
#include "messages/schema/validator.capnp.h"
#include "messages/schema/worker.capnp.h"

namespace flamingo {

template <class Inspector, class Tag, class Rep>
typename Inspector::result_type inspect(Inspector& f, identifier<Tag, Rep>& x) {
  return f(x.value);
}
template <class Inspector, class Tag>
typename Inspector::result_type inspect(Inspector& f, counter<Tag>& x) {
  return f(x.value);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, execution_group& x) {
  return f(x.version, x.executors, x.slack_per_mille);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_entry& x) {
  return f(x.from, x.group);
}
template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_log& x) {
  return f(x.entries, x.committed);
}

// -- frames
using signed_frame = wire<schema::Signed>;
using peer_frame = wire<schema::PeerMessage>;
using worker_frame = wire<schema::WorkerMessage>;
using client_frame = wire<schema::ClientMessage>;
using operator_frame = wire<schema::OperatorMessage>;
using evidence_frame = wire<schema::Evidence>;
using certified_frame = wire<schema::CertifiedHeader>;
using available_frame = wire<schema::BatchAvailable>;
using question_frame = wire<schema::AvailabilityQuestion>;
using withdrawal_frame = wire<schema::BatchWithdrawal>;
using noted_frame = wire<schema::WithdrawalNoted>;
using index_frame = wire<schema::BatchIndex>;
using wanted_frame = wire<schema::BatchWanted>;
using sequenced_frame = wire<schema::Sequenced>;
using payload_frame = wire<schema::Payload>;
using pushed_frame = wire<schema::Pushed>;
using requested_frame = wire<schema::Requested>;
using results_frame = wire<schema::Results>;
using leaves_frame = wire<schema::Leaves>;
using executed_frame = wire<schema::Executed>;
using progress_frame = wire<schema::Progress>;
using snapshot_chunk_frame = wire<schema::SnapshotChunk>;
using snapshot_wanted_frame = wire<schema::SnapshotWanted>;
using snapshot_part_frame = wire<schema::SnapshotPart>;
using committed_frame = wire<schema::Committed>;
using signals_frame = wire<schema::Signals>;
using committed_control_frame = wire<schema::CommittedControl>;
using ledger_frame = wire<schema::LedgerMade>;
using control_frame = wire<schema::ControlRecord>;
using assignment_frame = wire<schema::AssignmentUpdate>;
using summary_frame = wire<schema::ClientSummary>;

}  // namespace flamingo
