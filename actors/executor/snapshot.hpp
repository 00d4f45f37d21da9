// Snapshots: the state at the end of a sub-DAG that the protocol marks, so that all executors of a
// validator can return to one consistent cut (design: "Snapshots are aligned").
//
// Two are kept, by parity of their number. A snapshot holds, for each bucket, what the state tree
// hashes of it after the prefix 0x00 (state_tree.hpp); only buckets that changed since the snapshot
// of the same parity are written again. A marker for each executor says that its part is durable;
// a snapshot counts when the markers of the whole group are there.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "messages/execution.hpp"

namespace flamingo::executor {

struct snapshot_marker {
  std::uint64_t number = 0;       // from 1; its parity says where the buckets are
  commit_index index;             // the state is that after this sub-DAG
  std::uint16_t executors = 0;    // of the group that wrote it
  std::uint32_t value_bytes = 0;  // of the application

  unsigned parity() const { return static_cast<unsigned>(number % 2); }
  friend bool operator==(const snapshot_marker&, const snapshot_marker&) = default;
};

std::vector<char> encode(const snapshot_marker&);
/// Nothing for bytes that encode never gave.
std::optional<snapshot_marker> decode_marker(byte_span);

/// An executor's marker as found in the store.
struct found_marker {
  executor_id executor;
  snapshot_marker marker;
};
/// The newest snapshot of which every executor's marker is there, or nothing.
/// @param at if given, the one at this index.
std::optional<snapshot_marker> newest_complete(std::span<const found_marker>,
                                               std::optional<commit_index> at = {});

/// One executor's part of a snapshot, on its way to the store.
struct snapshot_image {
  snapshot_marker marker;
  std::vector<std::uint16_t> buckets;  // ascending
  std::vector<std::size_t> ends;       // where each bucket's bytes end in `bytes`
  std::vector<bool> empty;             // for each bucket: no key exists in it, so none is stored
  std::vector<char> bytes;
};

}  // namespace flamingo::executor
