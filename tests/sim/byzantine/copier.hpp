// Puts bundles that others carried, some of them long ago, into batches of its own, many small
// ones, and proposes these: what is a duplicate must stay one.
#pragma once

#include <deque>

#include "crypto/fake_signing.hpp"
#include "messages/batch_checks.hpp"
#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class copier final : public rewriter {
public:
  explicit copier(const insider& who);

  using rewriter::hears;
  void hears(link::peer from, const worker_frame& x) override;

private:
  struct copy {
    payload_entry entry;
    std::set<validator_id> stored_by;
  };

  bool change(header& x) override;
  void keep_bundles(const batch_view&);
  void seal(worker_id);

  batch_checks checks_;
  std::deque<checked_bundle> bundles_;
  std::map<digest, copy> copies_;  // that it sent
  std::deque<digest> ready_;       // and a quorum has
  std::uint64_t heard_ = 0, sealed_ = 0;
};

}  // namespace flamingo::sim::byzantine
