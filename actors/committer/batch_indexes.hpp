// The bundles of batches, by batch: what workers said of the batches that committed sub-DAGs wait
// for, and, within a bound, of those that may commit soon. A worker keeps a batch whose index it
// told until it withdraws it: so whatever is sequenced from an index is there for the executors.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "messages/batch.hpp"
#include "messages/time.hpp"
#include "messages/validator.hpp"

namespace flamingo::committer {

class batch_indexes {
public:
  /// @param cache_bundles bundles kept of batches that no committed sub-DAG waits for, in all. Each
  ///   author has an equal share, so that one that floods us with batches displaces its own only.
  batch_indexes(std::size_t validators, std::uint64_t cache_bundles)
      : shares_(validators), share_(cache_bundles / validators) {}

  /// A committed sub-DAG carries this batch. Each call takes a `release`.
  void need(const wanted_batch& batch);
  void release(const digest& batch);

  /// A worker told a batch's bundles. @returns whether a committed sub-DAG waited for them.
  bool arrived(const batch_index& batch);

  /// The worker is about to give these up: they are not here until it tells their bundles anew.
  /// @returns but those: a committed sub-DAG carries them.
  std::vector<digest> forget(const std::vector<digest>& batches);

  /// The bundles of a needed batch, or null until they are here.
  const std::vector<bundle_head>* find(const digest& batch) const;

  /// Takes `batch` (a needed one) to be asked for, unless it is here, or was asked for less than
  /// `retry` ago. @returns when it may be asked for again; nothing if it is here.
  std::optional<time_point> ask(const digest& batch, time_point now, duration retry,
                                std::vector<wanted_batch>& into);

  std::size_t cached_bundles(validator_id author) const { return shares_[author.value].bundles; }
  /// Batches of an author that are remembered without being needed.
  std::size_t cached_batches(validator_id author) const {
    return shares_[author.value].order.size();
  }

private:
  struct needed_batch {
    wanted_batch what;
    std::size_t uses = 0;  // committed sub-DAGs that carry it and wait
    bool here = false;
    std::vector<bundle_head> bundles;
    std::optional<time_point> asked;
  };
  struct cached_batch {
    validator_id author;
    std::uint64_t number = 0;  // in its author's `order`
    std::vector<bundle_head> bundles;
  };
  /// What an author has of `cached_`.
  struct author_share {
    std::map<std::uint64_t, digest> order;  // Invariant: each batch once; oldest first
    std::size_t bundles = 0;                // an empty batch counting as one
  };
  std::vector<bundle_head> take(std::map<digest, cached_batch>::iterator);

  std::map<digest, needed_batch> needed_;
  std::map<digest, cached_batch> cached_;
  std::vector<author_share> shares_;  // indexed by author
  std::uint64_t share_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace flamingo::committer
