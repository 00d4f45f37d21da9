#include "actors/executor/snapshot.hpp"

#include <cstring>

namespace flamingo::executor {

namespace {

constexpr byte marker_format = 1;
constexpr std::size_t marker_bytes = 1 + 8 + 8 + 2 + 4;

template <class T>
void append(std::vector<char>& into, T x) {
  const std::size_t at = into.size();
  into.resize(at + sizeof x);
  std::memcpy(into.data() + at, &x, sizeof x);
}

template <class T>
void take(const byte*& at, T& x) {
  std::memcpy(&x, at, sizeof x);
  at += sizeof x;
}

}  // namespace

std::vector<char> encode(const snapshot_marker& x) {
  std::vector<char> out;
  append(out, marker_format);
  append(out, x.number);
  append(out, x.index.value);
  append(out, x.executors);
  append(out, x.value_bytes);
  return out;
}

std::optional<snapshot_marker> decode_marker(byte_span from) {
  if (from.size() != marker_bytes || from[0] != marker_format) return std::nullopt;
  snapshot_marker x;
  const byte* at = from.data() + 1;
  take(at, x.number);
  take(at, x.index.value);
  take(at, x.executors);
  take(at, x.value_bytes);
  if (x.number == 0 || x.executors == 0 || x.executors > max_group_executors) return std::nullopt;
  return x;
}

std::optional<snapshot_marker> newest_complete(std::span<const found_marker> found,
                                               std::optional<commit_index> at) {
  std::optional<snapshot_marker> newest;
  for (const found_marker& candidate : found) {
    if (at && candidate.marker.index != *at) continue;
    if (newest && newest->number >= candidate.marker.number) continue;
    std::vector<bool> there(candidate.marker.executors);
    std::size_t count = 0;
    for (const found_marker& x : found) {
      if (x.marker != candidate.marker || x.executor.value >= there.size()) continue;
      if (there[x.executor.value]) continue;
      there[x.executor.value] = true;
      ++count;
    }
#if FLAMINGO_MUTANT_part_of_a_snapshot_counts
    newest = candidate.marker;
#endif
    if (count > 0 && count == there.size()) newest = candidate.marker;
  }
  return newest;
}

}  // namespace flamingo::executor
