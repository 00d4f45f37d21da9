// Lies in what a header says beside its links: time, queue delay, the batches and their counts,
// capacity, checkpoints, the coin share, epoch and round.
#pragma once

#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class liar final : public rewriter {
public:
  explicit liar(const insider& who) : rewriter(who, all_of(who)) {}

private:
  bool change(header& x) override;
  void about_time(header& x);
  void about_payload(header& x);
  control_record about_itself();
};

}  // namespace flamingo::sim::byzantine
