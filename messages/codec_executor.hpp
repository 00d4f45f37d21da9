// Bytes <-> values of what executors say to each other, to the workers and to the committer
// (schema/validator.capnp; design: execution-layer load balancing, "Execution").
//
// `decode` gives nothing for bytes that are no well-formed message of the kind: parallel lists of
// equal length, fixed sizes exact, every code known. It allocates no more than a constant times the
// frame.
#pragma once

#include <optional>

#include "messages/execution.hpp"
#include "messages/frame.hpp"
#include "messages/schema/validator.capnp.h"

namespace flamingo {

wire<schema::Pushed> encode(const pushed_values&);
std::optional<pushed_values> decode(const wire<schema::Pushed>&);

wire<schema::Requested> encode(const requested_values&);
std::optional<requested_values> decode(const wire<schema::Requested>&);

wire<schema::Results> encode(const reported_results&);
std::optional<reported_results> decode(const wire<schema::Results>&);

wire<schema::Executed> encode(const executed_bundles&);
std::optional<executed_bundles> decode(const wire<schema::Executed>&);

wire<schema::Leaves> encode(const state_leaves&);
std::optional<state_leaves> decode(const wire<schema::Leaves>&);

wire<schema::Progress> encode(const execution_progress&);
std::optional<execution_progress> decode(const wire<schema::Progress>&);

wire<schema::SnapshotChunk> encode(const snapshot_chunk&);
std::optional<snapshot_chunk> decode(const wire<schema::SnapshotChunk>&);

wire<schema::SnapshotWanted> encode(const snapshot_wanted&);
std::optional<snapshot_wanted> decode(const wire<schema::SnapshotWanted>&);

wire<schema::SnapshotPart> encode(const snapshot_part&);
std::optional<snapshot_part> decode(const wire<schema::SnapshotPart>&);

}  // namespace flamingo
