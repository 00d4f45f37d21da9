#include "actors/executor/snapshots_actor.hpp"

#include <algorithm>

#include "crypto/hash.hpp"

namespace flamingo::executor {

namespace {

using storage::key;
using storage::table;

constexpr std::uint8_t markers = 0, buckets = 1;

std::uint8_t parity_of(const snapshot_marker& x) {
  return static_cast<std::uint8_t>(x.parity());
}

}  // namespace

digest leaf_of(byte_span bucket) {
  static constexpr std::array<byte, 1> prefix{0};
  return crypto::hash({byte_span(prefix), bucket});
}

digest empty_leaf(std::uint16_t bucket) {
  return leaf_of(crypto::little_endian(bucket));
}

std::optional<snapshot_marker> find_snapshot(storage::kv& store, std::optional<commit_index> at) {
  std::vector<found_marker> found;
  store.scan(table::executor, key::of(markers), key::of(markers).prefix_end(),
             [&](byte_span row, byte_span value) {
               const auto marker = decode_marker(value);
               if (marker)
                 found.push_back({executor_id{storage::number_at<std::uint16_t>(row, 2)}, *marker});
               return true;
             });
  return newest_complete(found, at);
}

void scan_snapshot(storage::kv& store, const snapshot_marker& marker,
                   const std::function<bool(std::uint16_t, byte_span)>& visit, std::uint32_t first,
                   std::uint32_t last) {
  const key prefix = key::of(buckets, parity_of(marker));
  const key begin = key::of(buckets, parity_of(marker), static_cast<std::uint16_t>(first));
  const key end = last < bucket_count
                      ? key::of(buckets, parity_of(marker), static_cast<std::uint16_t>(last))
                      : prefix.prefix_end();
  store.scan(table::executor, begin, end, [&](byte_span at, byte_span value) {
    return visit(storage::number_at<std::uint16_t>(at, 2), value);
  });
}

namespace {

constexpr snapshot_marker first_marker(commit_index index, std::uint16_t executors,
                                       std::uint32_t value_bytes) {
  return {1, index, executors, value_bytes};
}

}  // namespace

void erase_snapshots(storage::write_batch& into) {
  into.erase_range(table::executor, key::of(markers), key::of(markers).prefix_end());
  into.erase_range(table::executor, key::of(buckets), key::of(buckets).prefix_end());
}

void install_bucket(storage::write_batch& into, std::uint16_t bucket, byte_span bytes) {
  into.put(table::executor, key::of(buckets, parity_of(first_marker({}, 0, 0)), bucket), bytes);
}

void install_markers(storage::write_batch& into, commit_index index, std::uint16_t executors,
                     std::uint32_t value_bytes) {
  const snapshot_marker marker = first_marker(index, executors, value_bytes);
  for (std::uint16_t k = 0; k < executors; ++k)
    into.put(table::executor, key::of(markers, parity_of(marker), executor_id{k}), encode(marker));
}

void snapshot_writer::begin(snapshot_image image) {
  FLAMINGO_ASSERT(!image_);
  bytes_ = shared_bytes(std::move(image.bytes));
  image_ = std::move(image);
  next_ = 0;
  marker_given_ = false;
  leaves_ = {self_, image_->marker.index, {}, {}};
}

storage::write_batch snapshot_writer::next_chunk() {
  FLAMINGO_ASSERT(image_ && !marker_given_);
  storage::write_batch out;
  const std::uint8_t parity = parity_of(image_->marker);
  const key marker = key::of(markers, parity, self_);
  if (next_ == 0) out.erase(table::executor, marker);
  const std::size_t last = std::min(next_ + chunk_, image_->buckets.size());
  for (; next_ < last; ++next_) {
    const std::size_t first = next_ == 0 ? 0 : image_->ends[next_ - 1];
    const byte_span bytes = byte_span(bytes_).subspan(first, image_->ends[next_] - first);
    const key at = key::of(buckets, parity, image_->buckets[next_]);
    if (image_->empty[next_])
      out.erase(table::executor, at);
    else
      out.put(table::executor, at, shared_bytes(bytes_, bytes));
    leaves_.buckets.push_back(image_->buckets[next_]);
    leaves_.hashes.push_back(leaf_of(bytes));
  }
  if (next_ == image_->buckets.size()) {
    out.put(table::executor, marker, encode(image_->marker));
    marker_given_ = true;
  }
  return out;
}

}  // namespace flamingo::executor
