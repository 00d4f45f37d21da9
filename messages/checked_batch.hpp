// Bundles and batches as a worker holds them once it has looked at every byte: what is known of
// them, the frame that their bytes stay in, and their operations packed for the executors. Plain
// values.
#pragma once

#include <memory>
#include <vector>

#include "messages/assert.hpp"
#include "messages/client.hpp"
#include "messages/shared_bytes.hpp"
#include "messages/signed_bytes.hpp"

namespace flamingo {

/// The packed operations of a batch (messages/stream_operations.hpp), bundle after bundle.
struct packed_operations {
  std::vector<byte> bytes;
  std::vector<std::uint32_t> ends;  // of each bundle, in `bytes`

  byte_span of(std::size_t bundle) const {
    FLAMINGO_ASSERT(bundle < ends.size());
    const std::uint32_t first = bundle == 0 ? 0 : ends[bundle - 1];
    return byte_span(bytes).subspan(first, ends[bundle] - first);
  }
};

struct checked_bundle {
  bundle_head head;
  signed_bytes parts;            // share the frame that it came in
  std::vector<byte> operations;  // packed
};

struct checked_batch {
  digest id;
  validator_id author;
  batch_sequence sequence;
  std::vector<bundle_head> bundles;
  std::uint32_t transactions = 0;
  std::vector<byte> counts;  // encoded (messages/account_counts.hpp)
  digest counts_digest;
  shared_bytes frame;  // a WorkerMessage, as it is stored and sent
  std::shared_ptr<const packed_operations> operations;
};

}  // namespace flamingo
