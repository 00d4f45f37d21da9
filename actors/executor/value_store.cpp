#include "actors/executor/value_store.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace flamingo::executor {

static_assert(std::endian::native == std::endian::little);

value_store::value_store(const application& rules, std::shared_ptr<const dense_buckets> dense,
                         bucket_function bucket_of_key)
    : value_bytes_(rules.value_size()),
      dense_count_(rules.dense_keys()),
      dense_(std::move(dense)),
      hash_(bucket_of_key),
      values_(dense_count_ * value_bytes_),
      newest_sparse_(bucket_count, no_slot),
      changed_(bucket_count, both_parities) {
  FLAMINGO_ASSERT(value_bytes_ > 0 && value_bytes_ <= max_value_bytes);
  FLAMINGO_ASSERT(dense_->of_key.size() == dense_count_);
  for (std::uint64_t key = 0; key < dense_count_; ++key)
    rules.genesis(key, {values_.data() + key * value_bytes_, value_bytes_});
}

std::uint32_t value_store::sparse_slot(std::uint64_t key) {
  const std::uint32_t found = sparse_index_.find(key);
  if (found != flat_index::none) return static_cast<std::uint32_t>(dense_count_ + found);
  const auto position = static_cast<std::uint32_t>(sparse_.size());
  FLAMINGO_ASSERT(dense_count_ + position < std::uint64_t{1} << 31);
  const std::uint16_t bucket = hash_(key);
  sparse_.push_back({key, newest_sparse_[bucket], bucket});
  newest_sparse_[bucket] = position;
  sparse_index_.set(key, position);
  if (position % chunk_values == 0)
    chunks_.push_back(std::make_unique<byte[]>(chunk_values * value_bytes_));
  return static_cast<std::uint32_t>(dense_count_ + position);
}

void value_store::collect_sparse(std::uint16_t bucket) {
  scratch_.clear();
  for (std::uint32_t i = newest_sparse_[bucket]; i != no_slot; i = sparse_[i].next) {
    const byte* const value = sparse_at(i);
    if (std::any_of(value, value + value_bytes_, [](byte b) { return b != 0; }))
      scratch_.push_back(i);
  }
  std::sort(scratch_.begin(), scratch_.end(),
            [this](std::uint32_t a, std::uint32_t b) { return sparse_[a].key < sparse_[b].key; });
}

std::size_t value_store::dense_bytes(std::uint16_t bucket) const {
  return sizeof bucket + (dense_->first[bucket + 1u] - dense_->first[bucket]) * entry_bytes();
}

bool value_store::append_bucket(std::uint16_t bucket, std::vector<char>& into) {
  collect_sparse(bucket);
  const std::size_t begin = into.size();
  into.resize(begin + dense_bytes(bucket) + scratch_.size() * entry_bytes());
  char* at = into.data() + begin;
  const auto append = [&at](const void* from, std::size_t size) {
    std::memcpy(at, from, size);
    at += size;
  };
  append(&bucket, sizeof bucket);
  for (std::uint32_t i = dense_->first[bucket]; i < dense_->first[bucket + 1u]; ++i) {
    const std::uint64_t key = dense_->keys[i];
    append(&key, sizeof key);
    append(values_.data() + key * value_bytes_, value_bytes_);
  }
  for (const std::uint32_t i : scratch_) {
    append(&sparse_[i].key, sizeof sparse_[i].key);
    append(sparse_at(i), value_bytes_);
  }
  return into.size() - begin > sizeof bucket;
}

bool value_store::restore_bucket(byte_span from) {
  std::uint16_t bucket = 0;
  const std::size_t entry = entry_bytes();
  if (from.size() <= sizeof bucket || (from.size() - sizeof bucket) % entry != 0) return false;
  std::memcpy(&bucket, from.data(), sizeof bucket);
  std::uint32_t dense = dense_->first[bucket];
  const std::uint32_t dense_end = dense_->first[bucket + 1u];
  std::optional<std::uint64_t> sparse;
  for (from = from.subspan(sizeof bucket); !from.empty(); from = from.subspan(entry)) {
    std::uint64_t key = 0;
    std::memcpy(&key, from.data(), sizeof key);
    if (dense < dense_end) {
      if (key != dense_->keys[dense++]) return false;
    } else {
      if (key < dense_count_ || (sparse && key <= *sparse) || hash_(key) != bucket) return false;
      sparse = key;
    }
    std::memcpy(at(slot_of(key)), from.data() + sizeof key, value_bytes_);
  }
  return dense == dense_end;
}

}  // namespace flamingo::executor
