// Batches and what a worker says of them, as plain values (design: the certified DAG, "Batches").
#pragma once

#include <chrono>
#include <optional>
#include <variant>
#include <vector>

#include "messages/client.hpp"
#include "messages/digest.hpp"
#include "messages/identifiers.hpp"
#include "messages/signed_bytes.hpp"

namespace flamingo {

/// A batch in place: its bundles share the frame's bytes. Nothing of them is checked but that each
/// is a flat message with a signature.
struct batch_view {
  validator_id author;
  worker_id worker;
  batch_sequence sequence;
  std::vector<signed_bytes> bundles;
};

/// "Your batch is durable here." Not signed, on purpose: whoever forges it can only make an author
/// believe too early that its batch is available, and every voter checks its own store.
struct batch_stored {
  digest batch;
  batch_sequence sequence;
  friend bool operator==(const batch_stored&, const batch_stored&) = default;
};

/// Batches that a worker asks another one for.
struct batch_request {
  std::vector<digest> batches;
  friend bool operator==(const batch_request&, const batch_request&) = default;
};
inline constexpr std::size_t max_requested_batches = 64;

/// "These, of your request, are not here": another worker is to be asked.
struct batches_absent {
  std::vector<digest> batches;  // 1 to max_requested_batches
  friend bool operator==(const batches_absent&, const batches_absent&) = default;
};

using worker_message = std::variant<batch_view, batch_stored, batch_request, batches_absent>;

/// A batch is durable here; an own one: at a quorum of validators.
struct batch_available {
  digest id;
  validator_id author;
  worker_id worker;
  std::uint32_t transactions = 0;
  digest counts_digest;              // over the encoded counts
  std::vector<byte> counts;          // own batches only: what the header will carry
  std::chrono::microseconds wait{};  // own batches only: from sealed to a quorum's acknowledgement
  std::uint64_t bytes = 0;           // size of the batch's frame

  friend bool operator==(const batch_available&, const batch_available&) = default;
};

/// "Which of these are durable here?" An own batch that is committed is none that the primary may
/// still propose, and is passed over.
struct availability_question {
  std::vector<digest> batches;
  std::optional<validator_id> author{};  // they are late: what is not here is to be asked of it

  friend bool operator==(const availability_question&, const availability_question&) = default;
};

/// "These batches of others are not there for votes any more, nor are their indexes to be used":
/// the log has not output them for long, or has output them.
struct batch_withdrawal {
  std::uint64_t number = 0;  // ascending, of this worker
  worker_id worker;
  std::vector<digest> batches;

  friend bool operator==(const batch_withdrawal&, const batch_withdrawal&) = default;
};

/// The primary votes for no header that lists a batch of that withdrawal, and the committer
/// sequences no commit that does, unless they are told of the batch again; but they may have.
struct withdrawal_noted {
  std::uint64_t number = 0;
  /// The highest round of a header that the primary voted for, or the anchor round of the newest
  /// commit that the committer sequenced.
  round_number until;
  std::vector<digest> kept;   // but these: a header, or a commit, that lists them waits
  bool by_committer = false;  // or by the primary

  friend bool operator==(const withdrawal_noted&, const withdrawal_noted&) = default;
};

/// The bundles of a batch that is durable here.
struct batch_index {
  digest id;
  validator_id author;
  worker_id worker;
  std::vector<bundle_head> bundles;

  friend bool operator==(const batch_index&, const batch_index&) = default;
};

/// The operations of a committed batch, in place: a bundle's packed operations
/// (messages/stream_operations.hpp), empty unless the bundle is fresh. Valid while the frame lives.
struct payload_view {
  commit_index index;
  digest batch;
  std::vector<byte_span> bundles;
};

/// What a bundle whose body has `body` bytes (a multiple of 8) takes in a batch's frame, and what
/// the frame takes besides its bundles.
constexpr std::size_t bundle_bytes_in_batch(std::size_t body) {
  return 16 + body + signature::size;
}
inline constexpr std::size_t batch_overhead_bytes = 64;

}  // namespace flamingo
