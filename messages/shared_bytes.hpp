// Immutable bytes with shared ownership: copying one never copies bytes, and a part of a frame (a
// bundle within a batch) keeps the whole frame alive.
#pragma once

#include <memory>
#include <vector>

#include "messages/digest.hpp"

namespace flamingo {

class shared_bytes {
public:
  shared_bytes() = default;

  /// Takes over `bytes`. Their start is aligned for any Cap'n Proto word (operator new aligns to
  /// 16).
  explicit shared_bytes(std::vector<char> bytes) {
    auto owner = std::make_shared<const std::vector<char>>(std::move(bytes));
    first_ = std::shared_ptr<const byte>(owner, reinterpret_cast<const byte*>(owner->data()));
    size_ = owner->size();
  }

  /// A part of `whole`, which stays alive as long as the part does. `part` must lie within `whole`.
  shared_bytes(const shared_bytes& whole, byte_span part)
      : first_(whole.first_, part.data()), size_(part.size()) {}

  const byte* data() const { return first_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  operator byte_span() const { return {data(), size_}; }

private:
  std::shared_ptr<const byte> first_;
  std::size_t size_ = 0;
};

}  // namespace flamingo
