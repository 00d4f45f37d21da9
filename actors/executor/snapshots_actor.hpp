// Snapshots on their way to the store of the validator's storage host and back: an executor, on
// whatever host, hashes a new one and gives it to the snapshot keeper chunk by chunk, beside
// everything else, so that the stream does not stop for it (design: "Snapshots are aligned").
//
// In the table `executor`, by parity of the snapshot's number:
//   (0, parity, executor)  the marker of an executor's part
//   (1, parity, bucket)    what the state tree hashes of a bucket after the prefix 0x00
#pragma once

#include <functional>
#include <optional>

#include "actors/executor/buckets.hpp"
#include "actors/executor/snapshot.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/environment.hpp"
#include "messages/shared_bytes.hpp"
#include "storage/kv.hpp"

namespace flamingo::executor {

/// SHA-256(0x00 | bytes): the leaf of the state tree for a stored bucket.
digest leaf_of(byte_span bucket);

/// The leaf of a bucket in which no key exists: none is stored.
digest empty_leaf(std::uint16_t bucket);

/// The newest snapshot that is complete in this store, or the one at `at`. @throws storage::error,
/// also for what no executor wrote.
std::optional<snapshot_marker> find_snapshot(storage::kv&, std::optional<commit_index> at = {});

/// Calls `visit(bucket, bytes)` for each bucket that the snapshot has keys in, ascending, until it
/// returns false. @throws storage::error, also for what is no bucket's bytes.
/// @param first, last of the buckets in [first, last) alone.
void scan_snapshot(storage::kv&, const snapshot_marker&,
                   const std::function<bool(std::uint16_t, byte_span)>& visit,
                   std::uint32_t first = 0, std::uint32_t last = bucket_count);

/// Puts a snapshot that was fetched in the place of all that are here: `erase` first, then the
/// buckets that are not empty, at last the markers, which make it count.
void erase_snapshots(storage::write_batch&);
void install_bucket(storage::write_batch&, std::uint16_t bucket, byte_span bytes);
void install_markers(storage::write_batch&, commit_index, std::uint16_t executors,
                     std::uint32_t value_bytes);

/// Cuts one snapshot at a time into chunks for the keeper. The executor's part counts once its
/// marker, which is stored last, is durable; the marker that stood in its place is erased first.
class snapshot_writer {
public:
  /// @param chunk buckets given together.
  snapshot_writer(executor_id self, std::uint32_t chunk) : self_(self), chunk_(chunk) {}

  /// Takes a snapshot to write. The one before must be finished.
  void begin(snapshot_image);
  commit_index index() const { return image_->marker.index; }

  /// The next chunk; its leaves are added to those to be taken.
  snapshot_chunk next_chunk();
  /// All chunks were given out.
  bool all_given() const { return last_given_; }
  /// Changed leaves, complete once all chunks were given out.
  state_leaves take_leaves() { return std::move(leaves_); }
  /// The last chunk is durable.
  void finish() { image_.reset(); }

private:
  executor_id self_;
  std::uint32_t chunk_;
  std::optional<snapshot_image> image_;
  std::size_t next_ = 0;
  bool last_given_ = false;
  state_leaves leaves_;
};

/// What a chunk changes in the store.
storage::write_batch writes_of(const snapshot_chunk&);

/// The buckets from `wanted.first` on that are at home at that executor, about as many as one chunk
/// holds. @throws storage::error
snapshot_part read_part(storage::kv&, const snapshot_wanted&);

struct keeper_state {
  static inline const char* name = "snapshot_keeper";
  runtime::environment_ptr env;
};

snapshot_keeper::behavior_type keeper_shell(snapshot_keeper::stateful_pointer<keeper_state> self,
                                            runtime::environment_ptr env);

}  // namespace flamingo::executor
