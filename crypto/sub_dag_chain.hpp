// The digest over the committed sub-DAGs: equal at all honest validators at every commit index
// (paper section 2, agreement; design: the certified DAG, "Checkpoints").
#pragma once

#include <span>

#include "crypto/hash.hpp"

namespace flamingo::crypto {

/// The chain's digest after commit `index`. Before the first commit it is all zeros.
/// @param headers digests of those that the commit output, in order.
inline digest sub_dag_chain(const digest& previous, commit_index index, const digest& anchor,
                            std::span<const digest> headers) {
  hasher chain(tags::sub_dag);
  chain.update(previous).number(index).update(anchor);
  for (const digest& header : headers) chain.update(header);
  return chain.finish();
}

}  // namespace flamingo::crypto
