// The coin's group: published points, laws, and that each value has one encoding.
#include <doctest/doctest.h>

#include "crypto/hash.hpp"
#include "crypto/hex.hpp"
#include "crypto/p256.hpp"

using namespace flamingo;
using namespace flamingo::crypto;

namespace {

p256::big_number scalar(std::string_view seed) {
  return p256::reduce(hash({as_bytes(seed)}));
}

std::string at(std::uint64_t multiple) {
  return to_hex(p256::encode(p256::power_of_generator(p256::number(multiple).get()).get()));
}

const char* order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const char* below_order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550";

}  // namespace

TEST_SUITE("crypto p256") {
  TEST_CASE("small multiples of the generator are the published ones") {
    CHECK(at(1) == "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296");
    CHECK(at(2) == "037cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978");
    CHECK(at(3) == "025ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c");
  }

  TEST_CASE("a scalar at or above the order has no encoding, so none has two") {
    REQUIRE(p256::decode_scalar(*from_hex<32>(below_order)));
    CHECK_FALSE(p256::decode_scalar(*from_hex<32>(order)));
    CHECK_FALSE(p256::decode_scalar(std::array<byte, 33>{}));
    CHECK_FALSE(p256::decode_scalar(std::array<byte, 31>{}));
    const auto highest = p256::decode_scalar(*from_hex<32>(below_order));
    CHECK(to_hex(p256::encode(highest->get())) == below_order);
    const auto sum = p256::add(highest->get(), p256::number(1).get());
    CHECK(p256::is_infinity(p256::power_of_generator(sum.get()).get()));
  }

  TEST_CASE("a point has one encoding: compressed, on the curve, below the prime, not infinity") {
    const auto g = *from_hex<33>(at(1));
    REQUIRE(p256::decode_point(g));
    CHECK(p256::encode(p256::decode_point(g)->get()).bytes == g);
    auto hybrid = g;
    hybrid[0] = 7;
    CHECK_FALSE(p256::decode_point(hybrid));
    CHECK_FALSE(p256::decode_point(std::array<byte, 1>{}));  // infinity as OpenSSL writes it
    CHECK_FALSE(p256::decode_point(std::array<byte, 33>{}));
    // x = 5 is on the curve, and 5 + p would fit into 32 bytes.
    CHECK(p256::with_even_y(
        *from_hex<32>("0000000000000000000000000000000000000000000000000000000000000005")));
    CHECK_FALSE(p256::with_even_y(
        *from_hex<32>("ffffffff00000001000000000000000000000001000000000000000000000004")));
  }

  TEST_CASE("a product of powers is what the powers give one by one") {
    const auto a = scalar("a"), b = scalar("b"), c = scalar("c");
    const auto p = p256::power_of_generator(a.get());
    const auto q = p256::power(p.get(), b.get());
    CHECK(p256::encode(q.get()) ==
          p256::encode(p256::power_of_generator(p256::multiply(a.get(), b.get()).get()).get()));
    // g^c p^b q^c = g^(c + ab + abc)
    const auto ab = p256::multiply(a.get(), b.get());
    const auto abc = p256::multiply(ab.get(), c.get());
    const auto exponent = p256::add(c.get(), p256::add(ab.get(), abc.get()).get());
    const p256::term terms[] = {{p.get(), b.get()}, {q.get(), c.get()}};
    CHECK(p256::encode(p256::product(c.get(), terms).get()) ==
          p256::encode(p256::power_of_generator(exponent.get()).get()));
    const auto minus_b = p256::negate(b.get());
    const p256::term cancels[] = {{p.get(), b.get()}, {p.get(), minus_b.get()}};
    CHECK(p256::is_infinity(p256::product(nullptr, cancels).get()));
  }

  TEST_CASE("inverse, difference and product of small numbers agree with each other") {
    const auto a = scalar("a");
    const auto one = p256::multiply(a.get(), p256::invert(a.get()).get());
    CHECK(p256::encode(one.get()) == p256::encode(p256::number(1).get()));
    const auto back = p256::subtract(p256::add(a.get(), one.get()).get(), one.get());
    CHECK(p256::encode(back.get()) == p256::encode(a.get()));
    const std::uint64_t factors[] = {3, 5, 7};
    CHECK(p256::encode(p256::product_of(factors).get()) == p256::encode(p256::number(105).get()));
    CHECK(p256::encode(p256::product_of({}).get()) == p256::encode(p256::number(1).get()));
  }
}
