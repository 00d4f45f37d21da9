// The complete certified headers above the floor, and what links what (paper section 2; design: the
// certified DAG). Pure: the primary, the certificate aggregator and whoever orders the DAG look at
// it.
//
// At most one header of an (author, round) is ever certified, so edges name positions: a parent is
// one bit, a causal history a few words a round. Which link of a header is an edge: dag/links.hpp.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "actors/dag/author_set.hpp"
#include "actors/dag/links.hpp"
#include "messages/dag.hpp"

namespace flamingo::dag {

/// What the DAG knows of one complete certified header.
struct vertex {
  digest id;
  author_set parents;                    // of round - 1; support counts these alone
  std::vector<dag_position> weak_links;  // ascending; a path may go over them
};

class graph {
public:
  /// @param quorum how many authors make a round full enough to go on.
  graph(std::size_t validators, std::size_t quorum) : validators_(validators), quorum_(quorum) {}

  /// Takes a complete certified header. Links that lead nowhere are dropped: the caller has seen to
  /// it that those are at or below the floor, dead for everyone.
  /// @returns false, and takes nothing, if it is at or below the floor or already here.
  bool add(const header& x);

  const vertex* at(dag_position) const;
  bool contains(dag_position where) const { return at(where) != nullptr; }
  std::optional<dag_position> find(const digest& id) const;
  bool contains(const digest& id) const { return positions_.contains(id); }
  /// Whether what the link means is here.
  bool holds(const link& to) const {
    const auto where = find(to.id);
    return where && to.leads_to(*where);
  }

  /// Whose headers of a round are here.
  const author_set& authors(round_number) const;
  /// The highest round in which a quorum of authors is here. 0, where genesis is, at the start;
  /// never falls.
  round_number quorum_round() const { return quorum_round_; }
  /// The highest round in which there is any header; the floor if there is none.
  round_number highest() const;

  round_number floor() const { return floor_; }
  /// Forgets what is at or below `floor`. A floor never falls: a lower one changes nothing.
  void raise_floor(round_number floor);

  /// What `raise_floor(floor)` would forget, in the order of rounds, then authors.
  std::vector<digest> ids_up_to(round_number floor) const;

  std::size_t size() const { return positions_.size(); }
  std::size_t validators() const { return validators_; }

private:
  struct round_row {
    author_set authors;
    std::map<validator_id, vertex> vertices;
  };

  std::size_t validators_, quorum_;
  round_number floor_, quorum_round_;
  std::map<round_number, round_row> rounds_;            // above the floor
  std::unordered_map<digest, dag_position> positions_;  // looked up, never walked
};

/// A set of positions closed under "is an ancestor of", above the floor: the causal history of what
/// was added to it, these included. Paths go over parents and weak links.
class history {
public:
  explicit history(std::size_t validators) : validators_(validators) {}

  /// Adds `root` and its ancestors. What the graph does not have is left out.
  void include(const graph& dag, dag_position root) { include(dag, std::vector{root}); }
  void include(const graph& dag, const std::vector<dag_position>& roots);

  bool contains(dag_position) const;
  /// In the order of rounds, then authors.
  std::vector<dag_position> positions() const;
  /// Forgets what is at or below `floor`.
  void raise_floor(round_number floor);

private:
  author_set& row(round_number r) { return rows_.try_emplace(r, validators_).first->second; }

  std::size_t validators_;
  std::map<round_number, author_set> rows_;
};

}  // namespace flamingo::dag
