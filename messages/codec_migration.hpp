// Bytes <-> control records (schema/migration.capnp), and what the committer hands on of them
// (schema/validator.capnp).
#pragma once

#include <optional>

#include "messages/frame.hpp"
#include "messages/migration.hpp"
#include "messages/schema/migration.capnp.h"
#include "messages/schema/validator.capnp.h"
#include "messages/validator.hpp"

namespace flamingo {

/// Words that one control record takes in a message, at most.
inline constexpr std::size_t control_record_words = 24;

/// Nothing for a record of no or an unknown kind, and for one whose digest or signature has not its
/// size.
std::optional<control_record> decode(schema::ControlRecord::Reader);
std::optional<control_record> decode(const wire<schema::ControlRecord>&);

void write(const control_record& from, schema::ControlRecord::Builder into);
wire<schema::ControlRecord> encode(const control_record&);

wire<schema::CommittedControl> encode(const commit_control&);
std::optional<commit_control> decode(const wire<schema::CommittedControl>&);

}  // namespace flamingo
