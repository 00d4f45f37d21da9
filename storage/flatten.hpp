// A value's parts as one run of bytes, for a reader.
#pragma once

#include "storage/kv.hpp"

namespace flamingo::storage {

inline std::size_t total_size(const value_parts& parts) {
  std::size_t result = 0;
  for (const shared_bytes& part : parts) result += part.size();
  return result;
}

inline std::vector<char> flatten(const value_parts& parts) {
  std::vector<char> result;
  result.reserve(total_size(parts));
  for (const byte_span part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

}  // namespace flamingo::storage
