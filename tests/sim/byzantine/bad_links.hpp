// Parents and weak links that are none: that lead nowhere, to another place than they name, to
// headers that nobody certified, below the floor, twice, too few of them, out of order.
#pragma once

#include <vector>

#include "tests/sim/byzantine/rewriter.hpp"

namespace flamingo::sim::byzantine {

class bad_links final : public rewriter {
public:
  explicit bad_links(const insider& who) : rewriter(who, all_of(who)) {}

  void hears(link::peer from, const peer_frame& x) override;

private:
  bool change(header& x) override;
  void spoil_parents(header& x);
  void spoil_weak_links(header& x);
  void add_weak_link(header& x, const weak_link&);

  std::vector<weak_link> heard_;  // headers of others, certified or not
  std::size_t next_ = 0;
};

}  // namespace flamingo::sim::byzantine
