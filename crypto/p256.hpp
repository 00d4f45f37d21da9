// The group of the threshold coin: P-256 (FIPS 186-4), prime order, cofactor 1, so every point on
// the curve is in the group. For the .cpp files of crypto only: it shows OpenSSL.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "crypto/openssl_handles.hpp"
#include "messages/digest.hpp"

namespace flamingo::crypto::p256 {

using big_number = std::unique_ptr<BIGNUM, releases<BN_clear_free>>;
using point = std::unique_ptr<EC_POINT, releases<EC_POINT_clear_free>>;
using scalar_bytes = std::array<byte, 32>;  // big-endian, below the order

/// The number of points, q.
const BIGNUM* order();

// -- scalars: numbers below q -------------------------------------------------

/// Empty when the number is not below q: an encoding is unique.
std::optional<big_number> decode_scalar(byte_span bytes);
scalar_bytes encode(const BIGNUM* scalar);

/// Big-endian bytes of any length, modulo q. From 64 hashed bytes the result is uniform to within
/// 2^-256.
big_number reduce(byte_span bytes);

big_number number(std::uint64_t x);
big_number product_of(std::span<const std::uint64_t> factors);
big_number add(const BIGNUM* a, const BIGNUM* b);
big_number subtract(const BIGNUM* a, const BIGNUM* b);
big_number multiply(const BIGNUM* a, const BIGNUM* b);
big_number negate(const BIGNUM* a);
big_number invert(const BIGNUM* a);  // `a` is not 0

// -- points -------------------------------------------------------------------

/// Empty unless `bytes` is the compressed encoding (33 bytes, first 2 or 3) of a point on the
/// curve.
std::optional<point> decode_point(byte_span bytes);

/// Compressed. `p` is not the point at infinity.
curve_point encode(const EC_POINT* p);

bool is_infinity(const EC_POINT* p);

/// The point with this x coordinate (big-endian) and an even y. Empty when there is none.
std::optional<point> with_even_y(byte_span x);

struct term {
  const EC_POINT* base;
  const BIGNUM* factor;
};

/// generator^factor, in constant time.
point power_of_generator(const BIGNUM* factor);
/// base^factor, in constant time.
point power(const EC_POINT* base, const BIGNUM* factor);

/// generator^generator_factor (absent if null) times the product of the terms. For public values.
point product(const BIGNUM* generator_factor, std::span<const term> terms);

}  // namespace flamingo::crypto::p256
