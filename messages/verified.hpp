// verified<T>: a value whose signatures were checked.
#pragma once

#include <utility>

namespace flamingo {

/// Invariant: only crypto and test builders call `after_check` (tests/tidy enforces it), so a core
/// can never be handed an unchecked message.
template <class T>
class verified {
public:
  static verified after_check(T x) { return verified{std::move(x)}; }
  const T& operator*() const { return value_; }
  const T* operator->() const { return &value_; }

private:
  explicit verified(T x) : value_(std::move(x)) {}
  T value_;
};

}  // namespace flamingo
