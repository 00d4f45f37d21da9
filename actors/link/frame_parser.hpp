// Frames on a byte stream: a length (u32, little-endian) and that many bytes. An empty frame is a
// ping. No CAF, no OpenSSL: whatever bytes come, it allocates nothing before it knows that the
// length is within the cap, and never more than bytes have come (rounded up to `growth`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace flamingo::link {

class frame_parser {
public:
  static constexpr std::size_t header_bytes = 4;
  static constexpr std::size_t growth = 64 << 10;

  /// @param cap largest length taken, bytes.
  explicit frame_parser(std::uint32_t cap) : cap_(cap) {}
  /// For the next header.
  void set_cap(std::uint32_t cap) { cap_ = cap; }

  enum class step : std::uint8_t {
    more,      // go on
    frame,     // `take` it before anything else
    oversize,  // `announced` is beyond the cap: nothing may follow
  };

  /// Where the next bytes go: not empty, within the header or frame that is under way.
  std::span<char> room();

  /// `n` bytes, at most its size, were put where `room` said.
  step advance(std::size_t n);

  /// Instead of both: a whole frame, read into a buffer of its own. `whole` must hold `missing()`
  /// bytes, with `at_start_of_frame()`.
  step adopt(std::vector<char>&& whole);

  /// The frame that is complete.
  std::vector<char> take();

  /// Bytes until the header or the frame that is under way is complete; at least 1.
  std::size_t missing() const;
  /// The header is known and none of its frame's bytes.
  bool at_start_of_frame() const { return in_frame_ && frame_have_ == 0; }
  /// Between two frames.
  bool at_boundary() const { return !in_frame_ && header_have_ == 0; }
  bool in_frame() const { return in_frame_; }
  std::uint32_t announced() const { return length_; }

  /// Copies all of `bytes` in, and calls `on_frame(std::vector<char>)` for each complete frame. If
  /// that returns false, the rest is passed over.
  /// @returns false after an oversize header.
  template <class F>
  bool push(std::span<const char> bytes, F&& on_frame) {
    while (!bytes.empty()) {
      const auto to = room();
      const auto n = std::min(to.size(), bytes.size());
      std::memcpy(to.data(), bytes.data(), n);
      bytes = bytes.subspan(n);
      switch (advance(n)) {
        case step::more:
          break;
        case step::oversize:
          return false;
        case step::frame:
          if (!on_frame(take())) return true;
      }
    }
    return true;
  }

private:
  std::uint32_t cap_;
  unsigned char header_[header_bytes] = {};
  std::size_t header_have_ = 0;
  bool in_frame_ = false;
  std::uint32_t length_ = 0;    // announced, of the frame under way
  std::vector<char> frame_;     // its bytes, and room for more
  std::size_t frame_have_ = 0;  // how many of them have come
};

/// The header of a frame of `length` bytes.
inline void put_header(std::uint32_t length, char* to) {
  for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(length >> (8 * i));
}

}  // namespace flamingo::link
