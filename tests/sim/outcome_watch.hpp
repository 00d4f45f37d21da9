// What one validator's store owes of outcomes: once a snapshot has passed a commit, its bundles are
// executed no more, so what became of them must be in the store by then, for clients that have not
// heard it (design: execution-layer balancing, "Receipts"). Part of the recorder.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "messages/execution.hpp"

namespace flamingo::sim {

/// What became of a bundle that was consumed.
struct owed_outcome {
  commit_index by;
  client_id client;
  bundle_sequence sequence;

  friend bool operator==(const owed_outcome&, const owed_outcome&) = default;
};

class outcome_watch {
public:
  void committed(const sequenced_sub_dag&);
  /// A row of table `batches` became durable, or its end: it was kept until others took its place.
  void noted(byte_span key);
  /// A checkpoint was put in place: what became of bundles up to there, others have to tell.
  void joined(commit_index);

  /// A snapshot is complete: what it passes, and is not there. Each is told of once.
  std::vector<owed_outcome> passed_by(commit_index snapshot);

private:
  using bundle = std::pair<client_id, bundle_sequence>;

  std::map<commit_index, std::vector<bundle>> owed_;
  std::set<bundle> kept_;
};

}  // namespace flamingo::sim
