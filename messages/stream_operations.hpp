// Packed operations: how the transactions of a bundle travel from a worker to the executors,
// without padding (design: execution-layer load balancing, "The stream"; the layout is in
// messages/execution.hpp). Written once, read in place: neither side allocates for a transaction.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "messages/assert.hpp"
#include "messages/execution.hpp"

namespace flamingo {

static_assert(std::endian::native == std::endian::little, "packed operations are little-endian");

/// Appends packed operations to a vector that its owner reuses.
class operation_writer {
public:
  explicit operation_writer(std::vector<byte>& into) : into_(into) {}

  /// @param operation at most `max_operation_bytes`.
  void application(account_id account, byte_span operation) {
    FLAMINGO_ASSERT(operation.size() <= max_operation_bytes);
    head(account, static_cast<std::uint16_t>(operation.size()));
    into_.insert(into_.end(), operation.begin(), operation.end());
  }
  void system(account_id account) { head(account, system_operation); }

private:
  void head(account_id account, std::uint16_t size) {
    byte bytes[packed_operation_head];
    std::memcpy(bytes, &account.value, 8);
    std::memcpy(bytes + 8, &size, 2);
    into_.insert(into_.end(), bytes, bytes + sizeof bytes);
  }

  std::vector<byte>& into_;
};

/// Walks packed operations in place. `next` after the last one, or at bytes that are no operation,
/// gives nothing; `well_formed` then tells which.
class operation_reader {
public:
  explicit operation_reader(byte_span packed) : rest_(packed) {}

  std::optional<stream_operation> next() {
    if (rest_.size() < packed_operation_head) return std::nullopt;
    stream_operation out;
    std::uint16_t size;
    std::memcpy(&out.account.value, rest_.data(), 8);
    std::memcpy(&size, rest_.data() + 8, 2);
    out.system = size == system_operation;
    if (out.system) size = 0;
    if (size > max_operation_bytes || rest_.size() - packed_operation_head < size)
      return std::nullopt;
    out.operation = rest_.subspan(packed_operation_head, size);
    rest_ = rest_.subspan(packed_operation_head + size);
    return out;
  }

  /// After the last operation: whether there is nothing else.
  bool well_formed() const { return rest_.empty(); }

private:
  byte_span rest_;
};

}  // namespace flamingo
