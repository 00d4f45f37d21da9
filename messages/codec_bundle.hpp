// Bytes <-> bundles (schema/client.capnp). A bundle's transactions never become values: a client
// writes them straight into the frame that travels, and a worker reads them in one pass in place
// (design: the hot path). Neither allocates for a transaction.
#pragma once

#include <span>
#include <vector>

#include "messages/client.hpp"
#include "messages/committee.hpp"
#include "messages/frame.hpp"
#include "messages/schema/client.capnp.h"

namespace flamingo {

/// Caps that every validator applies alike: from the protocol parameters.
struct bundle_limits {
  std::uint32_t max_bundle_bytes = 0;  // of the body
  std::uint32_t max_transactions = 0;
};

/// Checks all of a bundle but its signature: its form, the caps, and that its client owns every
/// acting account. The verdict depends on the bytes, the limits and the committee alone.
/// @param head is filled in, but for `id`, which is the body's digest.
/// @param operations gets the packed operations appended (messages/stream_operations.hpp); what it
///   gets when there is a fault means nothing.
bundle_fault read_bundle(byte_span body, const bundle_limits&, const committee&, bundle_head& head,
                         std::vector<byte>& operations);

/// The sequence that a body claims, nothing of which is checked; 0 if it cannot be read.
bundle_sequence claimed_sequence(byte_span body);

/// What a client puts into a bundle besides the transactions.
struct bundle_plan {
  client_id client;
  bundle_sequence sequence;
  validator_id assignee;
  round_number expires;
  std::size_t transaction_bytes = 0;  // operation and padding together take at least this
};

/// A frame with a bundle that lacks only its signature.
class unsigned_bundle {
public:
  unsigned_bundle(std::vector<char> frame, std::size_t body_at, std::size_t body_size,
                  std::size_t signature_at)
      : frame_(std::move(frame)),
        body_at_(body_at),
        body_size_(body_size),
        signature_at_(signature_at) {}

  /// What is to be hashed and signed. Valid until `finish`.
  byte_span body() const {
    return {reinterpret_cast<const byte*>(frame_.data()) + body_at_, body_size_};
  }

  wire<schema::ClientMessage> finish(const signature& sig) {
    std::copy(sig.bytes.begin(), sig.bytes.end(),
              frame_.begin() + static_cast<std::ptrdiff_t>(signature_at_));
    return wire<schema::ClientMessage>(shared_bytes(std::move(frame_)));
  }

private:
  std::vector<char> frame_;
  std::size_t body_at_, body_size_, signature_at_;
};

/// How many transactions fit into a body of `body_bytes`, whatever their operations.
/// @param transaction_bytes as in the plan
std::size_t transactions_that_fit(std::size_t body_bytes, std::size_t transaction_bytes);

/// Writes a bundle into the frame that will carry it, each byte once.
unsigned_bundle build_bundle(const bundle_plan&, std::span<const planned_transaction>);

}  // namespace flamingo
