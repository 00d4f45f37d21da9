// Bounds on the DAG's conversation and on what headers refer to: from the committee file alone, so
// that a message or batch is well-formed for everyone or for nobody.
#pragma once

#include <algorithm>

#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"
#include "messages/dag_limits.hpp"

namespace flamingo::dag {

inline dag_limits limits_of(const committee& members, const protocol_parameters& protocol) {
  return {members.size(), protocol.max_header_bytes, protocol.max_payload_entries,
          protocol.max_control_records};
}

/// The most bytes that the account counts of one batch may take: a header with all links and
/// control records that carries no other batch has room for them. So no batch waits for a header
/// for ever.
inline std::size_t room_for_counts(const committee& members, const protocol_parameters& protocol) {
  const std::size_t taken =
      header_bytes_without_payload(members.size(), protocol.max_control_records) +
      payload_entry_bytes;
  return protocol.max_header_bytes - std::min<std::size_t>(taken, protocol.max_header_bytes);
}

}  // namespace flamingo::dag
