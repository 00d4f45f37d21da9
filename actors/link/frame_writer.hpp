// Frames to bytes, plain or encrypted. Under TLS small frames share a record, and all records but
// the last are full: a record costs about as much as a few hundred bytes.
#pragma once

#include <vector>

#include "actors/link/tls_engine.hpp"
#include "messages/digest.hpp"

namespace flamingo::link {

class frame_writer {
public:
  /// @param tls null for a plain link. Must outlive the writer.
  explicit frame_writer(tls_engine* tls) : tls_(tls) {}

  /// Appends a frame; some of it may wait for `flush`. Of a plain frame each byte is copied once
  /// (into `out`), of a large encrypted one almost none before it is encrypted.
  void put(byte_span frame, std::vector<char>& out);

  /// Appends what waits.
  void flush(std::vector<char>& out);

  /// False if the TLS engine broke.
  bool ok() const { return ok_; }

private:
  static constexpr std::size_t record_bytes = 16 << 10;  // the most that TLS puts into one

  void encrypt(std::span<const char> bytes, std::vector<char>& out);

  tls_engine* tls_;
  std::vector<char> record_;  // the start of the next record, below record_bytes
  bool ok_ = true;
};

}  // namespace flamingo::link
