// Key sets: a synthetic application for experiments with schedulers (the paper's section 6, after
// the workloads of Hermes, Lin et al., SIGMOD 2021): a transaction names its keys, what it does to
// each, and what it costs, so that a generator sets transaction size, temporal overlap and weight.
// What it computes depends on the order of the stream, so a lost, repeated or reordered transaction
// shows.
//
// An operation's bytes, little-endian:
//   u16 cost | for each key: u64 key, u8 mode (access_mode)
#pragma once

#include "actors/executor/applications/application.hpp"

namespace flamingo::executor::keyset {

inline constexpr std::uint16_t max_cost = 1000;
inline constexpr std::size_t access_bytes = 9;
constexpr std::size_t encoded_bytes(std::size_t keys) {
  return 2 + access_bytes * keys;
}

/// Writes the operation to the start of `into`, which holds at least encoded_bytes(keys.size()),
/// and returns what was written.
byte_span encode(std::uint16_t cost, std::span<const key_access> keys, std::span<byte> into);

/// Keys 0 .. dense - 1 are dense, keys dense .. 2 * dense - 1 are not.
///
/// A transaction is refused as: invalid_operation (bytes that are no operation, no key, more than
/// max_accesses, a cost beyond max_cost), invalid_account (a key that may not exist), invalid_same
/// (a key twice). When it runs, one in eight is `insufficient`, by the values it reads; one write
/// in sixteen writes zeros, so that keys vanish.
class keys final : public application {
public:
  explicit keys(std::uint64_t dense) : dense_(dense) {}

  std::string_view name() const override { return "keyset"; }
  std::size_t value_size() const override { return 8; }
  std::uint64_t dense_keys() const override { return dense_; }
  void genesis(std::uint64_t key, std::span<byte> into) const override;
  void read_write_set(const stream_operation&, access_set& into) const override;
  result_code execute(const stream_operation&, const value_view&) const override;

private:
  std::uint64_t dense_;
};

}  // namespace flamingo::executor::keyset
