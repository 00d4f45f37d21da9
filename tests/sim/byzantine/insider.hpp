// Who a Byzantine validator is: what it was given before it went bad, and a source of chance of its
// own.
#pragma once

#include <memory>

#include "actors/dag/limits.hpp"
#include "actors/link/doorway.hpp"
#include "crypto/signing.hpp"
#include "messages/batch.hpp"
#include "messages/codec_worker.hpp"
#include "tests/sim/random.hpp"

namespace flamingo::sim::byzantine {

struct insider {
  validator_id self;
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  std::shared_ptr<const crypto::signer> key;
  random_source random;

  crypto::signing_context context() const { return {members->chain, members->epoch}; }
  dag_limits limits() const { return dag::limits_of(*members, protocol); }
  batch_limits limits_of_batches() const {
    return {protocol.max_batch_bytes, protocol.max_bundles_per_batch, protocol.max_bundle_bytes};
  }
  std::vector<validator_id> others() const {
    std::vector<validator_id> all;
    for (std::uint16_t i = 0; i < members->size(); ++i)
      if (i != self.value) all.push_back(validator_id{i});
    return all;
  }
  validator_id some_other() {
    const auto all = others();
    return all[random.below(all.size())];
  }
  digest some_digest() {
    digest x;
    for (auto& b : x.bytes) b = static_cast<byte>(random.below(256));
    return x;
  }
};

inline validator_id validator_of(link::peer x) {
  return validator_id{static_cast<std::uint16_t>(x.index)};
}

}  // namespace flamingo::sim::byzantine
