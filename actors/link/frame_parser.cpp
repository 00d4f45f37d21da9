#include "actors/link/frame_parser.hpp"

#include <algorithm>
#include <utility>

#include "messages/assert.hpp"

namespace flamingo::link {

std::span<char> frame_parser::room() {
  if (!in_frame_)
    return {reinterpret_cast<char*>(header_) + header_have_, header_bytes - header_have_};
  // Grown as bytes come, so that a header alone costs no memory; the reserve is address space only.
  if (frame_have_ == frame_.size()) {
    if (frame_.empty()) frame_.reserve(length_);
    frame_.resize(std::min<std::size_t>(length_, frame_have_ + growth));
  }
  return {frame_.data() + frame_have_, frame_.size() - frame_have_};
}

frame_parser::step frame_parser::advance(std::size_t n) {
  if (in_frame_) {
    FLAMINGO_ASSERT(n <= frame_.size() - frame_have_);
    frame_have_ += n;
    return frame_have_ == length_ ? step::frame : step::more;
  }
  FLAMINGO_ASSERT(n <= header_bytes - header_have_);
  header_have_ += n;
  if (header_have_ < header_bytes) return step::more;
  length_ = 0;
  for (int i = 0; i < 4; ++i) length_ |= std::uint32_t(header_[i]) << (8 * i);
  if (length_ > cap_) return step::oversize;
  in_frame_ = true;
  header_have_ = 0;
  return length_ == 0 ? step::frame : step::more;
}

frame_parser::step frame_parser::adopt(std::vector<char>&& whole) {
  FLAMINGO_ASSERT(at_start_of_frame() && whole.size() == length_);
  frame_ = std::move(whole);
  frame_have_ = length_;
  return step::frame;
}

std::vector<char> frame_parser::take() {
  FLAMINGO_ASSERT(in_frame_ && frame_have_ == length_);
  in_frame_ = false;
  frame_have_ = 0;
  return std::exchange(frame_, {});
}

std::size_t frame_parser::missing() const {
  return in_frame_ ? length_ - frame_have_ : header_bytes - header_have_;
}

}  // namespace flamingo::link
