#include "messages/account_counts.hpp"

#include <algorithm>
#include <limits>

namespace flamingo {

namespace {

constexpr std::size_t varint_bytes_max = 10;

byte* put_varint(byte* at, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) *at++ = static_cast<byte>(x | 0x80);
  *at++ = static_cast<byte>(x);
  return at;
}

/// The shortest encoding only: a last byte of 0 after others, or bits beyond the 64th, are refused.
std::optional<std::uint64_t> take_varint(byte_span& from) {
  std::uint64_t x = 0;
  for (std::size_t i = 0; i < std::min(from.size(), varint_bytes_max); ++i) {
    const byte b = from[i];
    if (i == varint_bytes_max - 1 && b > 1) return std::nullopt;
    x |= std::uint64_t{b & 0x7fu} << (7 * i);
    if (b & 0x80) continue;
    if (b == 0 && i > 0) return std::nullopt;
    from = from.subspan(i + 1);
    return x;
  }
  return std::nullopt;
}

}  // namespace

std::vector<byte> encode_counts(std::vector<account_id>& accounts) {
  std::sort(accounts.begin(), accounts.end());
  std::size_t distinct = 0;
  for (std::size_t i = 0; i < accounts.size(); ++i)
    distinct += i == 0 || accounts[i] != accounts[i - 1];
  std::vector<byte> out(distinct * (varint_bytes_max + 5));
  byte* at = out.data();
  std::uint64_t previous = 0;
  for (std::size_t i = 0; i < accounts.size();) {
    std::size_t next = i + 1;
    while (next < accounts.size() && accounts[next] == accounts[i]) ++next;
    at = put_varint(at, accounts[i].value - previous);
    at = put_varint(at, next - i);
    previous = accounts[i].value;
    i = next;
  }
  out.resize(static_cast<std::size_t>(at - out.data()));
  return out;
}

std::optional<std::vector<account_count>> decode_counts(byte_span encoded,
                                                        std::size_t accounts_max) {
  std::vector<account_count> out;
  std::uint64_t previous = 0;
  while (!encoded.empty()) {
    const auto delta = take_varint(encoded);
    if (!delta || out.size() == accounts_max) return std::nullopt;
    const auto count = take_varint(encoded);
    if (!count || *count == 0 || *count > std::numeric_limits<std::uint32_t>::max())
      return std::nullopt;
    if (!out.empty() && (*delta == 0 || *delta > ~std::uint64_t{0} - previous)) return std::nullopt;
    previous += *delta;
    out.push_back({account_id{previous}, static_cast<std::uint32_t>(*count)});
  }
  return out;
}

}  // namespace flamingo
