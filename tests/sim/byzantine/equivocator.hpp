// An equivocating validator: it signs two headers in every round, sends one to each half of the
// others, votes for both, and tries to have both certified, if need be with too few votes.
#pragma once

#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class equivocator final : public rewriter {
public:
  using rewriter::rewriter;

private:
  bool change(header& x) override {
    x.created_at += std::chrono::nanoseconds(1);
    return true;
  }
  /// From f+1 votes on: too few, unless it found a quorum.
  std::vector<certificate> certify(const certificate& votes_so_far) override {
    if (votes_so_far.votes.size() < who_.members->validity()) return {};
    return {votes_so_far};
  }
};

}  // namespace flamingo::sim::byzantine
