// A byte stream cut anywhere, as a link's parser sees it: it never takes a frame beyond its cap,
// and however the bytes arrive, the same frames come out.
#include <algorithm>

#include "actors/link/frame_parser.hpp"
#include "messages/assert.hpp"

using flamingo::link::frame_parser;

namespace {

constexpr std::uint32_t cap = 1000;

struct outcome {
  std::vector<std::vector<char>> frames;
  bool went_on = true;
  friend bool operator==(const outcome&, const outcome&) = default;
};

outcome parse(std::span<const char> bytes, std::size_t piece) {
  frame_parser parser(cap);
  outcome result;
  while (!bytes.empty() && result.went_on) {
    const auto n = std::min(piece, bytes.size());
    result.went_on = parser.push(bytes.first(n), [&](std::vector<char> frame) {
      FLAMINGO_ASSERT(frame.size() <= cap);
      result.frames.push_back(std::move(frame));
      return true;
    });
    bytes = bytes.subspan(n);
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span<const char> bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  FLAMINGO_ASSERT(parse(bytes, 1 + data[0]) == parse(bytes, size));
  return 0;
}
