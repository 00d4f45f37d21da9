#include "actors/executor/applications/keyset.hpp"

#include <bit>
#include <cstring>

#include "actors/executor/mixed.hpp"

namespace flamingo::executor::keyset {

static_assert(std::endian::native == std::endian::little);

namespace {

key_access read_access(const byte* at) {
  key_access x;
  std::memcpy(&x.key, at, sizeof x.key);
  x.mode = static_cast<access_mode>(at[8]);
  return x;
}

}  // namespace

byte_span encode(std::uint16_t cost, std::span<const key_access> keys, std::span<byte> into) {
  FLAMINGO_ASSERT(into.size() >= encoded_bytes(keys.size()));
  std::memcpy(into.data(), &cost, sizeof cost);
  byte* at = into.data() + sizeof cost;
  for (const key_access& x : keys) {
    std::memcpy(at, &x.key, sizeof x.key);
    at[8] = static_cast<byte>(x.mode);
    at += access_bytes;
  }
  return into.first(encoded_bytes(keys.size()));
}

void keys::genesis(std::uint64_t key, std::span<byte> into) const {
  const std::uint64_t value = mixed(key + 1);
  std::memcpy(into.data(), &value, sizeof value);
}

void keys::read_write_set(const stream_operation& from, access_set& into) const {
  const byte_span bytes = from.operation;
  if (bytes.size() < encoded_bytes(1) || (bytes.size() - 2) % access_bytes != 0)
    return into.refuse(result_code::invalid_operation);
  std::uint16_t cost = 0;
  std::memcpy(&cost, bytes.data(), sizeof cost);
  if (cost > max_cost) return into.refuse(result_code::invalid_operation);
  into.set_cost(cost);
  for (std::size_t at = 2; at < bytes.size(); at += access_bytes) {
    if (bytes[at + 8] > static_cast<byte>(access_mode::write))
      return into.refuse(result_code::invalid_operation);
    const key_access x = read_access(bytes.data() + at);
    if (x.key >= 2 * dense_) return into.refuse(result_code::invalid_account);
    for (const key_access& earlier : into.accesses())
      if (earlier.key == x.key) return into.refuse(result_code::invalid_same);
    if (!into.add(x.key, x.mode)) return;
  }
}

result_code keys::execute(const stream_operation& from, const value_view& values) const {
  const std::size_t count = (from.operation.size() - 2) / access_bytes;
  const byte* const accesses = from.operation.data() + 2;
  std::uint64_t all = mixed(from.account.value);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, values.read(i).data(), sizeof value);
    all = mixed(all ^ value ^ read_access(accesses + i * access_bytes).key);
  }
  if (all % 8 == 0) return result_code::insufficient;
  for (std::size_t i = 0; i < count; ++i) {
    const key_access x = read_access(accesses + i * access_bytes);
    if (x.mode != access_mode::write) continue;
    std::uint64_t value = mixed(all ^ x.key);
    if (value % 16 == 0) value = 0;
    std::memcpy(values.write(i).data(), &value, sizeof value);
  }
  return result_code::applied;
}

}  // namespace flamingo::executor::keyset
