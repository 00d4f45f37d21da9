// Lies in what a header says beside its links: time, queue delay, the batches and their counts (old
// ones again, too), capacity, checkpoints, the coin share, epoch and round.
#pragma once

#include <vector>

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

  std::vector<payload_entry> listed_;  // by its headers before, in turn as many as fit
  std::size_t next_ = 0;
};

}  // namespace flamingo::sim::byzantine
