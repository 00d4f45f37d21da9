#include "crypto/p256.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::crypto::p256 {

namespace {

using group_handle = std::unique_ptr<EC_GROUP, releases<EC_GROUP_free>>;
using arithmetic_context = std::unique_ptr<BN_CTX, releases<BN_CTX_free>>;

// Read only once made, so every thread may use it.
const EC_GROUP* group() {
  static const group_handle made(
      must(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), "the curve P-256"));
  return made.get();
}

BN_CTX* scratch() {
  thread_local const arithmetic_context made(must(BN_CTX_new(), "a number context"));
  return made.get();
}

big_number fresh_number() {
  return big_number(must(BN_new(), "a number"));
}
point fresh_point() {
  return point(must(EC_POINT_new(group()), "a point"));
}

}  // namespace

const BIGNUM* order() {
  return EC_GROUP_get0_order(group());
}

std::optional<big_number> decode_scalar(byte_span bytes) {
  if (bytes.size() != 32) return std::nullopt;
  auto out = fresh_number();
  must(BN_bin2bn(bytes.data(), 32, out.get()), "a scalar");
  if (BN_cmp(out.get(), order()) >= 0) return std::nullopt;
  return out;
}

scalar_bytes encode(const BIGNUM* scalar) {
  scalar_bytes out;
  must(BN_bn2binpad(scalar, out.data(), static_cast<int>(out.size())) ==
           static_cast<int>(out.size()),
       "the encoding of a scalar");
  return out;
}

big_number reduce(byte_span bytes) {
  auto out = fresh_number();
  must(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), out.get()), "a number");
  must(BN_nnmod(out.get(), out.get(), order(), scratch()) == 1, "a remainder");
  return out;
}

big_number number(std::uint64_t x) {
  auto out = fresh_number();
  must(BN_set_word(out.get(), x) == 1, "a number");
  return out;
}

// One division at the end instead of one a factor.
big_number product_of(std::span<const std::uint64_t> factors) {
  auto out = number(1);
  for (const auto factor : factors) must(BN_mul_word(out.get(), factor) == 1, "a product");
  must(BN_nnmod(out.get(), out.get(), order(), scratch()) == 1, "a remainder");
  return out;
}

big_number add(const BIGNUM* a, const BIGNUM* b) {
  auto out = fresh_number();
  must(BN_mod_add(out.get(), a, b, order(), scratch()) == 1, "a sum");
  return out;
}

big_number subtract(const BIGNUM* a, const BIGNUM* b) {
  auto out = fresh_number();
  must(BN_mod_sub(out.get(), a, b, order(), scratch()) == 1, "a difference");
  return out;
}

big_number multiply(const BIGNUM* a, const BIGNUM* b) {
  auto out = fresh_number();
  must(BN_mod_mul(out.get(), a, b, order(), scratch()) == 1, "a product");
  return out;
}

big_number negate(const BIGNUM* a) {
  return subtract(number(0).get(), a);
}

big_number invert(const BIGNUM* a) {
  auto out = fresh_number();
  must(BN_mod_inverse(out.get(), a, order(), scratch()), "an inverse");
  return out;
}

std::optional<point> decode_point(byte_span bytes) {
  if (bytes.size() != curve_point::size || (bytes[0] != 2 && bytes[0] != 3)) return std::nullopt;
  auto out = fresh_point();
  if (EC_POINT_oct2point(group(), out.get(), bytes.data(), bytes.size(), scratch()) != 1) {
    ERR_clear_error();  // not on the curve: no error of ours
    return std::nullopt;
  }
  return out;
}

curve_point encode(const EC_POINT* p) {
  curve_point out;
  must(EC_POINT_point2oct(group(), p, POINT_CONVERSION_COMPRESSED, out.bytes.data(), out.size,
                          scratch()) == out.size,
       "the encoding of a point");
  return out;
}

bool is_infinity(const EC_POINT* p) {
  return EC_POINT_is_at_infinity(group(), p) == 1;
}

std::optional<point> with_even_y(byte_span x) {
  FLAMINGO_ASSERT(x.size() == 32);
  curve_point compressed;
  compressed.bytes[0] = 2;
  std::copy(x.begin(), x.end(), compressed.bytes.begin() + 1);
  return decode_point(compressed);
}

point power_of_generator(const BIGNUM* factor) {
  auto out = fresh_point();
  must(EC_POINT_mul(group(), out.get(), factor, nullptr, nullptr, scratch()) == 1,
       "a power of the generator");
  return out;
}

point power(const EC_POINT* base, const BIGNUM* factor) {
  auto out = fresh_point();
  must(EC_POINT_mul(group(), out.get(), nullptr, base, factor, scratch()) == 1,
       "a power of a point");
  return out;
}

point product(const BIGNUM* generator_factor, std::span<const term> terms) {
  std::vector<const EC_POINT*> bases;
  std::vector<const BIGNUM*> factors;
  for (const auto& t : terms) {
    bases.push_back(t.base);
    factors.push_back(t.factor);
  }
  auto out = fresh_point();
  // Deprecated in OpenSSL 3.0 without a successor, but the terms share their doublings: 34 terms
  // take 0.5 ms, one by one 1.4 ms.
  must(EC_POINTs_mul(group(), out.get(), generator_factor, terms.size(), bases.data(),
                     factors.data(), scratch()) == 1,
       "a product of powers");
  return out;
}

}  // namespace flamingo::crypto::p256
