// Bytes <-> values of the conversation between same-index workers (schema/worker.capnp), and of
// what a worker says and hears within its validator: availability, withdrawals, index, payload
// (schema/validator.capnp).
//
// `decode` gives nothing for bytes that are no well-formed message of the kind; it allocates no
// more than a constant times the frame.
#pragma once

#include <optional>
#include <span>

#include "messages/batch.hpp"
#include "messages/frame.hpp"
#include "messages/schema/validator.capnp.h"
#include "messages/schema/worker.capnp.h"

namespace flamingo {

/// What a decoder of batches must know to bound their lists before it allocates.
struct batch_limits {
  std::uint32_t max_batch_bytes = 0;  // of the frame
  std::uint32_t max_bundles_per_batch = 0;
  std::uint32_t max_bundle_bytes = 0;  // of a body
};

/// A batch's bundles share the frame's bytes.
std::optional<worker_message> decode(const wire<schema::WorkerMessage>&, const batch_limits&);

/// One flat frame, each byte copied once.
wire<schema::WorkerMessage> encode_batch(validator_id author, worker_id, batch_sequence,
                                         std::span<const signed_bytes> bundles);
wire<schema::WorkerMessage> encode(const batch_stored&);
wire<schema::WorkerMessage> encode(const batch_request&);
wire<schema::WorkerMessage> encode(const batches_absent&);

wire<schema::BatchAvailable> encode(const batch_available&);
std::optional<batch_available> decode(const wire<schema::BatchAvailable>&);

wire<schema::AvailabilityQuestion> encode(const availability_question&);
std::optional<availability_question> decode(const wire<schema::AvailabilityQuestion>&);

wire<schema::BatchWithdrawal> encode(const batch_withdrawal&);
std::optional<batch_withdrawal> decode(const wire<schema::BatchWithdrawal>&);

wire<schema::WithdrawalNoted> encode(const withdrawal_noted&);
std::optional<withdrawal_noted> decode(const wire<schema::WithdrawalNoted>&);

wire<schema::BatchIndex> encode(const batch_index&);
std::optional<batch_index> decode(const wire<schema::BatchIndex>&);

/// One flat frame, each byte copied once.
/// @param bundles packed operations of each bundle of the batch; empty unless it is fresh.
wire<schema::Payload> encode_payload(commit_index, const digest& batch,
                                     std::span<const byte_span> bundles);
/// Valid as long as the frame's bytes.
std::optional<payload_view> decode(const wire<schema::Payload>&);

}  // namespace flamingo
