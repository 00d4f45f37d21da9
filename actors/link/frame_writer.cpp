#include "actors/link/frame_writer.hpp"

#include <algorithm>
#include <array>

#include "actors/link/frame_parser.hpp"

namespace flamingo::link {

void frame_writer::put(byte_span frame, std::vector<char>& out) {
  std::array<char, frame_parser::header_bytes> header;
  put_header(static_cast<std::uint32_t>(frame.size()), header.data());
  const std::span<const char> bytes(reinterpret_cast<const char*>(frame.data()), frame.size());
  if (!tls_) {
    out.insert(out.end(), header.begin(), header.end());
    out.insert(out.end(), bytes.begin(), bytes.end());
    return;
  }
  encrypt(header, out);
  encrypt(bytes, out);
}

void frame_writer::encrypt(std::span<const char> bytes, std::vector<char>& out) {
  if (!record_.empty() || bytes.size() < record_bytes) {
    const auto n = std::min(bytes.size(), record_bytes - record_.size());
    record_.insert(record_.end(), bytes.begin(), bytes.begin() + n);
    bytes = bytes.subspan(n);
    if (record_.size() == record_bytes) flush(out);
  }
  if (const auto whole = bytes.size() / record_bytes * record_bytes; whole > 0) {
    ok_ = tls_->write(bytes.first(whole), out) && ok_;
    bytes = bytes.subspan(whole);
  }
  record_.insert(record_.end(), bytes.begin(), bytes.end());
}

void frame_writer::flush(std::vector<char>& out) {
  if (record_.empty()) return;
  ok_ = tls_->write(record_, out) && ok_;
  record_.clear();
}

}  // namespace flamingo::link
