// Tusk's commit rule over the certified DAG (paper section 2; Danezis et al., "Narwhal and Tusk",
// EuroSys 2022, with the corrections of design "The certified DAG and Tusk").
//
// Pure: complete certificates in causal order in, committed sub-DAGs in total order out. The rule
// may be evaluated at any moment and as rarely as one likes: every observer outputs the same chain.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/committer/leaders/leader_rule.hpp"
#include "actors/dag/links.hpp"
#include "messages/dag.hpp"

namespace flamingo::committer {

/// What the rule needs of a complete certificate: its header's place and links.
struct vertex {
  digest id;
  dag_position position;
  std::vector<digest> parents;
  std::vector<weak_link> weak_links;
};

/// Where the log stands: the last anchor. All zero before the first.
struct log_head {
  commit_index index;
  wave_number wave;
  round_number anchor_round;

  friend bool operator==(const log_head&, const log_head&) = default;
};

struct ordered_header {
  dag_position position;
  digest id;

  friend bool operator==(const ordered_header&, const ordered_header&) = default;
};

/// One committed anchor with what it outputs.
struct sub_dag {
  log_head head;  // after it
  digest anchor;
  std::uint64_t skipped_waves = 0;     // waves without an anchor since the last one
  round_number next_floor;             // what is at or below it is dead now
  std::vector<ordered_header> output;  // in committed order; the anchor is among them
  std::vector<dag_position> died;      // known here, at or below next_floor, never output

  friend bool operator==(const sub_dag&, const sub_dag&) = default;
};

struct tusk_parameters {
  std::size_t validators = 0;  // n
  std::size_t validity = 0;    // f + 1
  std::uint64_t gc_depth = 0;  // rounds
};

class tusk {
public:
  /// @param output the headers above floor() that were output before; none at genesis.
  tusk(const tusk_parameters& parameters, const log_head& head,
       const std::vector<ordered_header>& output);

  enum class taken {
    added,
    known,         // the same again
    output,        // committed before
    dead,          // at or below the floor
    contradicted,  // another header of this author and round was certified: more than f are faulty
    malformed,     // links that no voter lets pass, wherever its floor is: more than f are faulty
  };

  /// A complete certificate. What its links above the floor lead to must have been added or output:
  /// each link to a header in the place that it says. The links at or below the floor mean nothing.
  taken add(const vertex& x);

  /// Evaluates the rule for all undecided waves, the newest first.
  std::vector<sub_dag> commit(leader_rule& leaders);

  /// Evaluates it for wave w alone: commits w and what its history holds of the waves before,
  /// oldest first, if w has its support and the leaders from the last anchor on are known.
  std::vector<sub_dag> commit_wave(wave_number w, leader_rule& leaders);

  const log_head& head() const { return head_; }
  /// Of the next sub-DAG: max(0, round of the last anchor - gc_depth).
  round_number floor() const { return head_.anchor_round - parameters_.gc_depth; }
  /// The highest round of which a complete certificate is here, or was output.
  round_number top() const;

private:
  struct slot {
    bool here = false;
    bool output = false;  // its links are gone then
    digest id;
    std::vector<validator_id> parents;     // authors, of the round before, above the floor then
    std::vector<dag_position> weak_links;  // above the floor then
  };
  using row = std::vector<slot>;  // indexed by author

  const slot* find(dag_position at) const;
  bool well_formed(const vertex& x) const;
  std::optional<validator_id> author_of(const dag::link& to) const;
  void resolve_links(const vertex& x, slot& into) const;
  bool supported(wave_number w, dag_position leader) const;
  bool reaches(dag_position from, dag_position to) const;
  std::vector<ordered_header> history(dag_position anchor, round_number floor) const;
  sub_dag emit(wave_number w, dag_position anchor);

  tusk_parameters parameters_;
  log_head head_;
  std::map<round_number, row> rows_;  // Invariant: rounds above floor() only
};

}  // namespace flamingo::committer
