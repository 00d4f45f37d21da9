// The fields that every codec reads and writes: values of a fixed size as Cap'n Proto Data.
#pragma once

#include <capnp/blob.h>

#include <algorithm>

#include "messages/digest.hpp"

namespace flamingo::codec {

/// Whether a frame of `bytes` can hold a list of `count` structs: an encoder gives each a word at
/// least. A hostile one may claim elements that take no room.
constexpr bool can_hold(std::size_t bytes, std::size_t count) {
  return count <= bytes / 8;
}

template <class Tag, std::size_t N>
capnp::Data::Reader data_of(const fixed_bytes<Tag, N>& x) {
  return {x.bytes.data(), x.bytes.size()};
}

/// False, with `into` untouched, unless `from` has exactly the size of the value.
template <class Tag, std::size_t N>
bool read_fixed(capnp::Data::Reader from, fixed_bytes<Tag, N>& into) {
  if (from.size() != N) return false;
  std::copy(from.begin(), from.end(), into.bytes.begin());
  return true;
}

}  // namespace flamingo::codec
