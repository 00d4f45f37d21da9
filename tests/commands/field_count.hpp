// How many fields a plain struct has, so that a test can say that none was forgotten.
#pragma once

#include <cstddef>
#include <utility>

namespace flamingo::testing {

struct anything {
  template <class T>
  operator T() const;
};

template <class T, class... Fields>
constexpr std::size_t field_count() {
  if constexpr (requires { T{std::declval<Fields>()..., anything{}}; })
    return field_count<T, Fields..., anything>();
  else
    return sizeof...(Fields);
}

}  // namespace flamingo::testing
