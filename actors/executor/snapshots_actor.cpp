#include "actors/executor/snapshots_actor.hpp"

#include <algorithm>
#include <caf/all.hpp>

#include "crypto/hash.hpp"
#include "messages/codec_executor.hpp"

namespace flamingo::executor {

namespace {

using storage::key;
using storage::table;

constexpr std::uint8_t markers = 0, buckets = 1;

std::uint8_t parity_of(const snapshot_marker& x) {
  return static_cast<std::uint8_t>(x.parity());
}

void good(bool condition) {
  if (!condition)
    throw storage::error(
        "table executor of the store is damaged: restore the validator's data directory, or let it "
        "join anew");
}

/// A bucket's bytes begin with its number.
bool names(byte_span bytes, std::uint16_t bucket) {
  const auto number = crypto::little_endian(bucket);
  return bytes.size() > number.size() && std::equal(number.begin(), number.end(), bytes.begin());
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
               good(marker && row.size() == 4 && row[1] == parity_of(*marker));
               const executor_id who{storage::number_at<std::uint16_t>(row, 2)};
               good(who.value < marker->executors);
               found.push_back({who, *marker});
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
    good(at.size() == 4);
    const auto bucket = storage::number_at<std::uint16_t>(at, 2);
    good(names(value, bucket));
    return visit(bucket, value);
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
  image_ = std::move(image);
  next_ = 0;
  last_given_ = false;
  leaves_ = {self_, image_->marker.index, {}, {}};
}

snapshot_chunk snapshot_writer::next_chunk() {
  FLAMINGO_ASSERT(image_ && !last_given_);
  const snapshot_marker& marker = image_->marker;
  snapshot_chunk out;
  out.executor = self_;
  out.number = marker.number;
  out.index = marker.index;
  out.executors = marker.executors;
  out.value_bytes = marker.value_bytes;
  out.first = next_ == 0;
  const std::size_t last = std::min(next_ + chunk_, image_->buckets.size());
  const std::size_t begin = next_ == 0 ? 0 : image_->ends[next_ - 1];
  const byte_span all{reinterpret_cast<const byte*>(image_->bytes.data()), image_->bytes.size()};
  for (std::size_t at = begin; next_ < last; ++next_) {
    const std::size_t end = image_->ends[next_];
    out.buckets.push_back(image_->buckets[next_]);
    out.ends.push_back(static_cast<std::uint32_t>(end - begin));
    if (image_->empty[next_]) out.empty.push_back(image_->buckets[next_]);
    leaves_.buckets.push_back(image_->buckets[next_]);
    leaves_.hashes.push_back(leaf_of(all.subspan(at, end - at)));
    at = end;
  }
  const std::size_t end = last == 0 ? 0 : image_->ends[last - 1];
  out.bytes.assign(image_->bytes.begin() + static_cast<std::ptrdiff_t>(begin),
                   image_->bytes.begin() + static_cast<std::ptrdiff_t>(end));
  out.last = last_given_ = next_ == image_->buckets.size();
  return out;
}

storage::write_batch writes_of(const snapshot_chunk& x) {
  const snapshot_marker marker{x.number, x.index, x.executors, x.value_bytes};
  const std::uint8_t parity = parity_of(marker);
  const key marker_at = key::of(markers, parity, x.executor);
  storage::write_batch out;
  if (x.first) out.erase(table::executor, marker_at);
  const shared_bytes bytes(std::vector<char>(x.bytes));
  std::size_t at = 0;
  auto empty = x.empty.begin();
  for (std::size_t i = 0; i < x.buckets.size(); ++i) {
    const key bucket_at = key::of(buckets, parity, x.buckets[i]);
    if (empty != x.empty.end() && *empty == x.buckets[i]) {
      out.erase(table::executor, bucket_at);
      ++empty;
    } else {
      out.put(table::executor, bucket_at,
              shared_bytes(bytes, byte_span(bytes).subspan(at, x.ends[i] - at)));
    }
    at = x.ends[i];
  }
  if (x.last) out.put(table::executor, marker_at, encode(marker));
  return out;
}

snapshot_part read_part(storage::kv& store, const snapshot_wanted& x) {
  constexpr std::size_t part_bytes = 1 << 20;
  snapshot_part out;
  out.index = x.index;
  const auto marker = find_snapshot(store, x.index);
  if (!marker || x.executors == 0) return out;
  out.number = marker->number;
  out.value_bytes = marker->value_bytes;
  out.next = bucket_count;
  std::size_t bytes = 0;
  scan_snapshot(
      store, *marker,
      [&](std::uint16_t bucket, byte_span stored) {
        if (bucket % x.executors != x.executor.value) return true;
        if (bytes >= part_bytes) out.next = bucket;
        if (bytes >= part_bytes) return false;
        bytes += stored.size();
        out.buckets.emplace_back(stored.begin(), stored.end());
        return true;
      },
      x.first);
  return out;
}

snapshot_keeper::behavior_type keeper_shell(snapshot_keeper::stateful_pointer<keeper_state> self,
                                            runtime::environment_ptr env) {
  self->state.env = std::move(env);
  return {[self](const durable_sink& giver, const snapshot_chunk_frame& frame) {
            const auto chunk = decode(frame);
            if (!chunk) return;  // an executor encoded it
            const auto with = self->state.env;
            with->store->write(writes_of(*chunk), [with, giver](const storage::write_result& done) {
              if (done.ok())
                caf::anon_send(giver, atom::durable_v, std::uint64_t{0});
              else
                with->fail(ec::store_failed, done.message);
            });
          },
          [self](const snapshot_wanted_frame& frame) -> snapshot_part_frame {
            const auto wanted = decode(frame);
            if (!wanted) return encode(snapshot_part{});
            try {
              return encode(read_part(*self->state.env->store, *wanted));
            } catch (const storage::error& failure) {
              self->state.env->fail(ec::store_failed, failure.what());
              return encode(snapshot_part{});
            }
          }};
}

}  // namespace flamingo::executor
