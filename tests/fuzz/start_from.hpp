// Fuzzing that starts from valid inputs: random bytes are refused at their first word, so nothing
// deep would be reached. An input is a byte that chooses the kind, then the bytes to be read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "messages/assert.hpp"
#include "messages/shared_bytes.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace flamingo::fuzz {

/// Makes an input of a kind's number and valid bytes of it.
inline std::vector<std::uint8_t> example(std::size_t kind, byte_span frame) {
  std::vector<std::uint8_t> result{static_cast<std::uint8_t>(kind)};
  result.insert(result.end(), frame.begin(), frame.end());
  return result;
}

/// Now and then begins anew from one of `examples`; otherwise changes what is there, mostly not the
/// kind.
inline std::size_t mutate(const std::vector<std::vector<std::uint8_t>>& examples,
                          std::uint8_t* data, std::size_t size, std::size_t max_size,
                          unsigned seed) {
  if (size < 2 || seed % 16 == 0) {
    const auto& from = examples[seed / 16 % examples.size()];
    size = std::min(from.size(), max_size);
    std::memcpy(data, from.data(), size);
  }
  if (seed % 64 == 1 || max_size < 2) return LLVMFuzzerMutate(data, size, max_size);
  return 1 + LLVMFuzzerMutate(data + 1, size - 1, max_size - 1);
}

/// The frame of an input, word-aligned as from a socket.
inline shared_bytes frame_of(const std::uint8_t* data, std::size_t size) {
  return shared_bytes(std::vector<char>(data + 1, data + size));
}

}  // namespace flamingo::fuzz

/// The mutator of a target that starts from what `make_examples` returns.
#define FLAMINGO_FUZZ_FROM(make_examples)                                               \
  extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,  \
                                                 std::size_t max_size, unsigned seed) { \
    static const auto examples = make_examples();                                       \
    return flamingo::fuzz::mutate(examples, data, size, max_size, seed);                \
  }
