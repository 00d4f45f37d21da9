// The values that an executor holds: dense keys in one array, other keys in a table beside it, and
// which buckets changed since the snapshots. Slots are local names of keys: a dense key is its own
// slot, any other key gets the next free one when it is first named.
#pragma once

#include <memory>
#include <vector>

#include "actors/executor/applications/application.hpp"
#include "actors/executor/buckets.hpp"
#include "actors/executor/flat_index.hpp"

namespace flamingo::executor {

class value_store {
public:
  /// Holds the genesis value of every dense key.
  value_store(const application& rules, std::shared_ptr<const dense_buckets> dense,
              bucket_function bucket_of_key);

  std::size_t value_bytes() const { return value_bytes_; }
  std::size_t slots() const { return dense_count_ + sparse_.size(); }

  /// Names the key: a sparse one that has no slot gets the next one, and is all zeros.
  std::uint32_t slot_of(std::uint64_t key) {
    return key < dense_count_ ? static_cast<std::uint32_t>(key) : sparse_slot(key);
  }
  std::uint64_t key_of(std::uint32_t slot) const {
    return slot < dense_count_ ? slot : sparse_[slot - dense_count_].key;
  }
  std::uint16_t bucket_of(std::uint32_t slot) const {
    return slot < dense_count_ ? dense_->of_key[slot] : sparse_[slot - dense_count_].bucket;
  }

  /// Stable as long as the store lives.
  byte* at(std::uint32_t slot) {
    return slot < dense_count_ ? values_.data() + slot * value_bytes_
                               : sparse_at(slot - dense_count_);
  }

  /// The value of a slot was changed: its bucket belongs into the next snapshot of either parity.
  void mark_changed(std::uint32_t slot) { changed_[bucket_of(slot)] = both_parities; }
  void mark_bucket_changed(std::uint16_t bucket) { changed_[bucket] = both_parities; }
  bool changed(std::uint16_t bucket, unsigned parity) const {
    return (changed_[bucket] >> parity & 1u) != 0;
  }
  void clear_changed(std::uint16_t bucket, unsigned parity) {
    changed_[bucket] = static_cast<std::uint8_t>(changed_[bucket] & ~(1u << parity));
  }

  /// Appends what the state tree hashes of a bucket and a snapshot stores: u16 bucket, then for
  /// each key, ascending, u64 key and its value; little-endian. All dense keys are in it, of the
  /// others those whose value is not all zeros. False if there are none.
  bool append_bucket(std::uint16_t bucket, std::vector<char>& into);
  /// What the dense keys of a bucket take of that.
  std::size_t dense_bytes(std::uint16_t bucket) const;

  /// Takes the values of a bucket as append_bucket wrote it. False for bytes that it never wrote.
  bool restore_bucket(byte_span);

private:
  static constexpr std::uint8_t both_parities = 3;
  static constexpr std::size_t chunk_values = 1024;
  static constexpr std::uint32_t no_slot = 0xffffffff;
  struct sparse_key {
    std::uint64_t key;
    std::uint32_t next;  // older one in the same bucket, or no_slot
    std::uint16_t bucket;
  };

  std::size_t entry_bytes() const { return sizeof(std::uint64_t) + value_bytes_; }
  std::uint32_t sparse_slot(std::uint64_t key);
  byte* sparse_at(std::size_t i) {
    return chunks_[i / chunk_values].get() + i % chunk_values * value_bytes_;
  }
  /// The sparse keys of a bucket that exist, ascending, into scratch_.
  void collect_sparse(std::uint16_t bucket);

  std::size_t value_bytes_;
  std::uint64_t dense_count_;
  std::shared_ptr<const dense_buckets> dense_;
  bucket_function hash_;
  std::vector<byte> values_;  // of dense keys
  flat_index sparse_index_;   // key -> position in sparse_
  std::vector<sparse_key> sparse_;
  std::vector<std::unique_ptr<byte[]>> chunks_;  // values of sparse keys
  std::vector<std::uint32_t> newest_sparse_;     // of each bucket, a position in sparse_
  std::vector<std::uint8_t> changed_;            // of each bucket: a bit for each parity
  std::vector<std::uint32_t> scratch_;
};

}  // namespace flamingo::executor
