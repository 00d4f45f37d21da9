// The decoder's bounds on the DAG's conversation: from the committee file alone, so that a message
// is well-formed for everyone or for nobody.
#pragma once

#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/dag_limits.hpp"

namespace flamingo::dag {

inline dag_limits limits_of(const committee& members, const protocol_parameters& protocol) {
  return {members.size(), protocol.max_header_bytes, protocol.max_payload_entries,
          protocol.max_control_records};
}

}  // namespace flamingo::dag
