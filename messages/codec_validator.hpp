// Bytes <-> values of what the committer says to the other roles of its validator and to its
// operator (schema/validator.capnp).
//
// `decode` gives nothing for bytes that are no well-formed message of the kind, with every fixed
// size exact and every enumerator known. It allocates no more than a constant times the frame.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "messages/execution.hpp"
#include "messages/frame.hpp"
#include "messages/schema/validator.capnp.h"
#include "messages/validator.hpp"

namespace flamingo {

wire<schema::Sequenced> encode(const sequenced_sub_dag&);
std::optional<sequenced_sub_dag> decode(const wire<schema::Sequenced>&);

wire<schema::BatchWanted> encode(std::span<const wanted_batch>);
std::optional<std::vector<wanted_batch>> decode(const wire<schema::BatchWanted>&);

wire<schema::Committed> encode(const commit_notice&);
std::optional<commit_notice> decode(const wire<schema::Committed>&);

wire<schema::Signals> encode(const commit_signals&);
std::optional<commit_signals> decode(const wire<schema::Signals>&);

wire<schema::Evidence> encode(const evidence_report&);
std::optional<evidence_report> decode(const wire<schema::Evidence>&);

wire<schema::OperatorMessage> encode(const operator_message&);
std::optional<operator_message> decode(const wire<schema::OperatorMessage>&);

}  // namespace flamingo
