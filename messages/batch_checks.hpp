// From the bytes of a bundle or batch to what a worker needs of it: each byte is looked at once and
// hashed once, and nothing is allocated for a transaction (design: the hot path).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <variant>

#include "crypto/signing.hpp"
#include "messages/batch.hpp"
#include "messages/checked_batch.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/verified.hpp"

namespace flamingo {

/// Caps that every validator applies alike: from the protocol parameters.
struct batch_check_limits {
  bundle_limits of_bundle;
  std::size_t counts_bytes_max = 0;  // of a batch's account counts, encoded
};

/// Keeps buffers from one check to the next; for one thread.
class batch_checks {
public:
  batch_checks(std::shared_ptr<const committee> members,
               std::shared_ptr<const crypto::signature_scheme> scheme, batch_check_limits limits)
      : members_(std::move(members)), scheme_(std::move(scheme)), limits_(limits) {}

  /// A bundle as a client sent it.
  std::variant<verified<checked_bundle>, bundle_fault> check(const signed_bytes&);

  /// What came of a batch: it is valid, or somebody who knows its digest has it already (then no
  /// signature was checked), or it is not valid for ever.
  struct known_batch {
    digest id;
  };
  using batch_result = std::variant<verified<checked_batch>, known_batch, bundle_fault>;

  /// @param frame what `batch` is a view of.
  /// @param known asked once, before any signature is checked.
  batch_result check(const batch_view& batch, shared_bytes frame,
                     const std::function<bool(const digest&)>& known);

  /// An own batch: one flat frame, its digest from the digests of its bundles, its counts. Whoever
  /// chose the bundles has seen to the caps.
  checked_batch seal(validator_id author, worker_id, batch_sequence,
                     std::span<const checked_bundle> bundles);

  /// The operations of a batch that was checked before, from its bytes. Nothing if these are not
  /// the bytes of that batch.
  std::optional<packed_operations> pack(const batch_view&, const digest& id);

private:
  bool signed_by_client(const bundle_head&, const signature&) const;
  void add_counts(checked_batch&, const packed_operations&);

  std::shared_ptr<const committee> members_;
  std::shared_ptr<const crypto::signature_scheme> scheme_;
  batch_check_limits limits_;
  std::vector<byte> operations_;      // of the bundle or batch at hand
  std::vector<account_id> accounts_;  // of the batch at hand
  std::vector<digest> digests_;       // of the batch's bundles
};

}  // namespace flamingo
