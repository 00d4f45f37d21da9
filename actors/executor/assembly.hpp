// Assembly: puts the committed stream together from what the committer and the workers send, in any
// order and possibly repeated, and hands out whole sub-DAGs in commit order (design:
// execution-layer load balancing, "The stream").
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "actors/errors.hpp"
#include "messages/batch.hpp"
#include "messages/execution.hpp"
#include "messages/shared_bytes.hpp"

namespace flamingo::executor {

/// A committed bundle that wants an answer: a fresh one, or one that expired.
struct stream_bundle {
  client_id client;
  bundle_sequence sequence;
  digest id;
  validator_id author;
  verdict what = verdict::fresh;
  std::uint32_t first = 0;         // of a fresh one: index of its first transaction in the sub-DAG
  std::uint32_t transactions = 0;  // of a fresh one they are in the stream
  byte_span operations;            // packed
};

/// A sub-DAG with all its operations. `frames` keeps alive what `operations` point into.
struct assembled_sub_dag {
  commit_index index;
  round_number anchor_round;
  stream_position first_position;
  bool snapshot = false;
  std::vector<stream_bundle> bundles;  // in committed order
  std::uint32_t transactions = 0;      // fresh ones
  execution_group group;               // who executes it
  std::vector<shared_bytes> frames;
};

class assembly {
public:
  struct limits {
    std::uint64_t sub_dags = 256;             // beyond the next one, that are kept
    std::uint64_t payload_bytes = 128 << 20;  // of frames that wait, but for the next sub-DAG's
  };

  /// @param next the first sub-DAG to hand out.
  /// @param self of a sub-DAG whose group it is not in, an executor needs no operations.
  assembly(commit_index next, limits bounds, executor_id self)
      : next_(next), bounds_(bounds), self_(self) {}

  /// What was refused, if anything. Repeated and old input is neither refused nor taken twice. What
  /// is beyond the limits is refused as too_many_pending, and is to be asked for again.
  std::optional<reject> add(const sequenced_sub_dag&);
  std::optional<reject> add(const payload_view&, const shared_bytes& frame);

  /// Whether the next sub-DAG is complete.
  bool ready() const;
  /// Who executes it, if it is known.
  const execution_group* next_group() const;
  /// Hands it out. Only when ready.
  assembled_sub_dag take();

  commit_index next() const { return next_; }
  /// Something that was sent is missing: the next sub-DAG, or a part of it, while more is known; or
  /// something was dropped at a limit.
  bool incomplete() const { return dropped_ || !waiting_.empty(); }
  /// A part of the next sub-DAG was dropped, and is taken if it comes again.
  bool next_was_dropped() const { return dropped_ && *dropped_ <= next_; }
  /// What was dropped is being asked for again.
  void asked_again() { dropped_.reset(); }
  std::size_t sub_dags_waiting() const { return waiting_.size(); }

private:
  struct part {  // a batch of the sub-DAG
    digest batch;
    std::size_t first_bundle, bundles;  // in `shape`
  };
  struct entry {
    bool sequenced = false;
    assembled_sub_dag built;
    std::vector<part> parts;
    std::vector<std::uint32_t> shape;  // of all batches: position in built.bundles, or `unwanted`
    std::uint32_t missing = 0;         // bundles without their operations
    std::vector<std::pair<payload_view, shared_bytes>> early;  // payload before its sub-DAG
    std::uint64_t bytes = 0;                                   // of frames held
  };
  static constexpr std::uint32_t unwanted = 0xffffffff;

  bool beyond(commit_index) const;
  reject drop(commit_index);
  static void expect_bundles(entry&, const sequenced_sub_dag&);
  static std::optional<reject> fill(entry&, const payload_view&, const shared_bytes& frame);

  commit_index next_;
  limits bounds_;
  executor_id self_;
  std::map<commit_index, entry> waiting_;
  std::uint64_t bytes_ = 0;              // of frames held for sub-DAGs
  std::optional<commit_index> dropped_;  // the first sub-DAG of which something was dropped
};

}  // namespace flamingo::executor
