// A frame whose size is known before it is built: it is written in place, each byte once (design:
// the hot path). wire(MessageBuilder) builds in segments and copies them; this is for bundles,
// batches and payload, which are large and whose size follows from what is in them.
#pragma once

#include <capnp/message.h>

#include <cstring>
#include <vector>

#include "messages/assert.hpp"
#include "messages/frame.hpp"

namespace flamingo {

/// Words of a struct of `Schema` without what its pointers lead to.
template <class Schema>
constexpr std::size_t struct_words() {
  return Schema::_capnpPrivate::dataWordSize + Schema::_capnpPrivate::pointerCount;
}

/// Words that `bytes` bytes of Data take.
constexpr std::size_t data_words(std::size_t bytes) {
  return (bytes + sizeof(capnp::word) - 1) / sizeof(capnp::word);
}

/// Size of the table before a single-segment message, bytes.
inline constexpr std::size_t segment_table_bytes = 8;

/// Writes the table of a message of one segment of `words` words.
inline void write_segment_table(char* at, std::size_t words) {
  for (unsigned i = 0; i < 4; ++i) at[i] = 0;
  for (unsigned i = 0; i < 4; ++i) at[4 + i] = static_cast<char>(words >> (8 * i));
}

/// A single-segment message over memory that somebody else holds: zeroed, word-aligned, and of
/// exactly the message's size (its table included).
template <class Schema>
class flat_message {
public:
  flat_message(char* at, std::size_t words)
      : words_(words),
        message_(kj::arrayPtr(reinterpret_cast<capnp::word*>(at + segment_table_bytes), words)) {
    write_segment_table(at, words);
  }

  typename Schema::Builder root() { return message_.template initRoot<Schema>(); }

  /// Invariant: whoever computed the size and whoever filled the message agree.
  void check_filled() {
    const auto segments = message_.getSegmentsForOutput();
    FLAMINGO_ASSERT(segments.size() == 1 && segments[0].size() == words_);
  }

private:
  std::size_t words_;
  capnp::FlatMessageBuilder message_;
};

/// A frame of `words` words (the root pointer's one included).
template <class Schema>
class flat_frame {
public:
  explicit flat_frame(std::size_t words)
      : bytes_(segment_table_bytes + words * sizeof(capnp::word)), message_(bytes_.data(), words) {}
  flat_frame(const flat_frame&) = delete;
  flat_frame& operator=(const flat_frame&) = delete;

  typename Schema::Builder root() { return message_.root(); }

  wire<Schema> finish() {
    message_.check_filled();
    return wire<Schema>(shared_bytes(std::move(bytes_)));
  }

private:
  std::vector<char> bytes_;
  flat_message<Schema> message_;
};

}  // namespace flamingo
