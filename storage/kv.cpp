// Keys and write batches: what both stores share.
#include "storage/kv.hpp"

#include <algorithm>

namespace flamingo::storage {

const char* name(table x) {
  static constexpr std::array<const char*, table_count> names{
      "batches", "votes", "headers", "certificates", "commits", "state", "executor", "meta"};
  return names[static_cast<std::size_t>(x)];
}

std::strong_ordering operator<=>(const key& a, const key& b) {
  if (const int c = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size())); c != 0)
    return c < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.size() <=> b.size();
}

void key::append_bytes(byte_span bytes) {
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + size_);
  size_ = static_cast<std::uint8_t>(size_ + bytes.size());
}

key key::end() {
  key result;
  result.bytes_.fill(0xff);
  result.size_ = size_max;
  return result;
}

key key::prefix_end() const {
  key result = *this;
  while (result.size_ > 0 && result.bytes_[result.size_ - 1] == 0xff) --result.size_;
  if (result.size_ == 0) return end();
  ++result.bytes_[result.size_ - 1];
  return result;
}

write_batch& write_batch::put(table where, const key& at, value_parts value) {
  FLAMINGO_ASSERT(at.size() > 0 && at < key::end());
  bytes_ += at.size();
  for (const shared_bytes& part : value) bytes_ += part.size();
  operations_.push_back({kind::put, where, at, {}, std::move(value)});
  return *this;
}

write_batch& write_batch::erase(table where, const key& at) {
  FLAMINGO_ASSERT(at.size() > 0);
  bytes_ += at.size();
  operations_.push_back({kind::erase, where, at, {}, {}});
  return *this;
}

write_batch& write_batch::erase_range(table where, const key& first, const key& last) {
  bytes_ += first.size() + last.size();
  operations_.push_back({kind::erase_range, where, first, last, {}});
  return *this;
}

}  // namespace flamingo::storage
