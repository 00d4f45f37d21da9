// Forged votes and certificates: too few votes, the same ones again and again, invented ones, of
// validators that do not exist. It equivocates with each half of the others, so that a certificate
// that passes is one too many.
#pragma once

#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class forger final : public rewriter {
public:
  using rewriter::rewriter;

  using rewriter::says;
  std::vector<peer_frame> says(link::peer to, const peer_frame& x) override;

private:
  bool change(header& x) override {
    x.created_at += std::chrono::nanoseconds(1);
    return true;
  }
  std::vector<certificate> certify(const certificate& votes_so_far) override;
  signature invented();
};

}  // namespace flamingo::sim::byzantine
