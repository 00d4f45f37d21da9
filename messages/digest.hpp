// Fixed-size byte values that name or vouch for other bytes. How they are computed is crypto's
// business.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace flamingo {

using byte = std::uint8_t;
using byte_span = std::span<const byte>;

template <class Tag, std::size_t N>
struct fixed_bytes {
  static constexpr std::size_t size = N;
  std::array<byte, N> bytes{};

  friend constexpr auto operator<=>(const fixed_bytes&, const fixed_bytes&) = default;
  operator byte_span() const { return bytes; }
};

using digest = fixed_bytes<struct digest_tag, 32>;          // SHA-256
using signature = fixed_bytes<struct signature_tag, 64>;    // Ed25519
using public_key = fixed_bytes<struct public_key_tag, 32>;  // Ed25519
using curve_point = fixed_bytes<struct point_tag, 33>;      // P-256, compressed (coin keys)

}  // namespace flamingo

// Digests are uniform already; the first eight bytes are a good hash. Other values here are not
// hashed.
template <>
struct std::hash<flamingo::digest> {
  std::size_t operator()(const flamingo::digest& x) const noexcept {
    std::size_t h;
    std::memcpy(&h, x.bytes.data(), sizeof h);
    return h;
  }
};
