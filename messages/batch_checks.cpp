#include "messages/batch_checks.hpp"

#include "crypto/hash.hpp"
#include "crypto/verify.hpp"
#include "messages/account_counts.hpp"
#include "messages/codec_worker.hpp"
#include "messages/stream_operations.hpp"

namespace flamingo {

bool batch_checks::signed_by_client(const bundle_head& head, const signature& sig) const {
  return scheme_->verify(members_->find(head.client)->key,
                         crypto::bundle_statement(members_->chain, head.id), sig);
}

std::variant<verified<checked_bundle>, bundle_fault> batch_checks::check(
    const signed_bytes& parts) {
  checked_bundle out{{}, parts, {}};
  operations_.clear();
  if (const auto fault =
          read_bundle(parts.body, limits_.of_bundle, *members_, out.head, operations_);
      fault != bundle_fault::none)
    return fault;
  out.head.id = crypto::hash(crypto::tags::bundle, parts.body);
  out.operations = operations_;
  auto checked = crypto::verify_all(std::move(out), [&](const checked_bundle& x) {
    return signed_by_client(x.head, x.parts.sig);
  });
  if (!checked) return bundle_fault::bad_signature;
  return std::move(*checked);
}

batch_checks::batch_result batch_checks::check(const batch_view& batch, shared_bytes frame,
                                               const std::function<bool(const digest&)>& known) {
  if (batch.bundles.empty() || batch.sequence.value == 0) return bundle_fault::malformed;
  checked_batch out;
  out.author = batch.author;
  out.sequence = batch.sequence;
  out.bundles.resize(batch.bundles.size());
  auto packed = std::make_shared<packed_operations>();
  packed->ends.reserve(batch.bundles.size());
  operations_.clear();
  digests_.clear();
  for (std::size_t i = 0; i < batch.bundles.size(); ++i) {
    const byte_span body = batch.bundles[i].body;
    bundle_head& head = out.bundles[i];
    if (const auto fault = read_bundle(body, limits_.of_bundle, *members_, head, operations_);
        fault != bundle_fault::none)
      return fault;
    head.id = crypto::hash(crypto::tags::bundle, body);
    digests_.push_back(head.id);
    packed->ends.push_back(static_cast<std::uint32_t>(operations_.size()));
    out.transactions += head.transactions;
  }
  out.id = crypto::batch_digest(batch.author, batch.worker, batch.sequence, digests_);
  if (known(out.id)) return known_batch{out.id};
  packed->bytes = operations_;
  add_counts(out, *packed);
  if (out.counts.size() > limits_.counts_bytes_max) return bundle_fault::too_many_accounts;
  out.frame = std::move(frame);
  out.operations = std::move(packed);
  auto checked = crypto::verify_all(std::move(out), [&](const checked_batch& x) {
    for (std::size_t i = 0; i < x.bundles.size(); ++i)
      if (!signed_by_client(x.bundles[i], batch.bundles[i].sig)) return false;
    return true;
  });
  if (!checked) return bundle_fault::bad_signature;
  return std::move(*checked);
}

checked_batch batch_checks::seal(validator_id author, worker_id worker, batch_sequence sequence,
                                 std::span<const checked_bundle> bundles) {
  checked_batch out;
  out.author = author;
  out.sequence = sequence;
  out.bundles.reserve(bundles.size());
  auto packed = std::make_shared<packed_operations>();
  packed->ends.reserve(bundles.size());
  std::vector<signed_bytes> parts;
  parts.reserve(bundles.size());
  operations_.clear();
  digests_.clear();
  for (const auto& bundle : bundles) {
    out.bundles.push_back(bundle.head);
    out.transactions += bundle.head.transactions;
    digests_.push_back(bundle.head.id);
    parts.push_back(bundle.parts);
    operations_.insert(operations_.end(), bundle.operations.begin(), bundle.operations.end());
    packed->ends.push_back(static_cast<std::uint32_t>(operations_.size()));
  }
  packed->bytes = operations_;
  out.id = crypto::batch_digest(author, worker, sequence, digests_);
  out.frame = encode_batch(author, worker, sequence, parts).bytes();
  add_counts(out, *packed);
  out.operations = std::move(packed);
  return out;
}

std::optional<packed_operations> batch_checks::pack(const batch_view& batch, const digest& id) {
  packed_operations out;
  operations_.clear();
  digests_.clear();
  for (const auto& bundle : batch.bundles) {
    bundle_head head;
    if (read_bundle(bundle.body, limits_.of_bundle, *members_, head, operations_) !=
        bundle_fault::none)
      return std::nullopt;
    digests_.push_back(crypto::hash(crypto::tags::bundle, bundle.body));
    out.ends.push_back(static_cast<std::uint32_t>(operations_.size()));
  }
  if (crypto::batch_digest(batch.author, batch.worker, batch.sequence, digests_) != id)
    return std::nullopt;
  out.bytes = operations_;
  return out;
}

void batch_checks::add_counts(checked_batch& batch, const packed_operations& packed) {
  accounts_.clear();
  operation_reader reader(packed.bytes);
  while (const auto x = reader.next()) accounts_.push_back(x->account);
  batch.counts = encode_counts(accounts_);
  batch.counts_digest = crypto::hash(crypto::tags::counts, batch.counts);
}

}  // namespace flamingo
