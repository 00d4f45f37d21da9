// Which links of a header count, and where one leads. The voter, the certificate aggregator, the
// graph and Tusk all ask here, so that none of them follows a link that another one does not.
#pragma once

#include <optional>
#include <vector>

#include "messages/dag.hpp"

namespace flamingo::dag {

/// From a header to an earlier one, which it calls `id`.
struct link {
  round_number round;
  std::optional<validator_id> author;  // of a weak link; a parent's is known by its identity only
  digest id;

  bool is_parent() const { return !author; }
  /// Whether the header called `id`, which stands at `where`, is the one that is meant. A certified
  /// header may well put a real one in another place: voters whose floor has passed that place do
  /// not look at what is said to be there.
  bool leads_to(dag_position where) const {
    return where.round == round && (is_parent() || where.author == *author);
  }

  friend bool operator==(const link&, const link&) = default;
};

/// Calls `f(link)` for each link that counts, the parents first, of a header of round `of`: those
/// above `floor`. What is at or below it is dead for everyone, and means nothing whatever it names.
template <class F>
void for_each_link(round_number of, const std::vector<digest>& parents,
                   const std::vector<weak_link>& weak_links, round_number floor, F&& f) {
  if (of - 1 > floor)
    for (const digest& parent : parents) f(link{of - 1, std::nullopt, parent});
  for (const weak_link& x : weak_links)
    if (x.position.round > floor) f(link{x.position.round, x.position.author, x.header});
}

}  // namespace flamingo::dag
