// Digests: the published vectors, the tags, and what a digest binds.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "crypto/hash.hpp"

using namespace flamingo;
using namespace flamingo::crypto;

namespace {
std::string hex(byte_span bytes) {
  static const char* digits = "0123456789abcdef";
  std::string out;
  for (auto b : bytes) (out += digits[b >> 4]) += digits[b & 15];
  return out;
}
}  // namespace

TEST_SUITE("crypto hash") {
  TEST_CASE("the digests of FIPS 180-4's examples come out") {
    CHECK(hex(hash({as_bytes("abc")})) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(hex(hash({})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(hex(hash({as_bytes("abcdbcdecdefdefgefghfghighijhijk"),
                    as_bytes("ijkljklmklmnlmnomnopnopq")})) ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  }

  TEST_CASE("a tag is the digest of its written name, and all tags differ") {
    CHECK(tags::header.bytes == hash({as_bytes("flamingo/header/v1")}).bytes);
    // Computed with `printf flamingo/vote/v1 | sha256sum`: a changed tag is a changed protocol.
    CHECK(hex(tags::vote) == "03b5714035237aa6741145da0bf620a5909dd6ad7ff9ebd3f6d6b5951dae42b5");
    const std::vector<tag> all{
        tags::header,     tags::vote,       tags::bundle,         tags::batch,
        tags::counts,     tags::checkpoint, tags::ledger,         tags::receipts,
        tags::results,    tags::sub_dag,    tags::coin_deal,      tags::coin_keys,
        tags::coin_point, tags::coin_nonce, tags::coin_challenge, tags::coin_value};
    CHECK(std::set<tag>(all.begin(), all.end()).size() == all.size());
  }

  TEST_CASE("the same bytes under two tags have two digests") {
    const auto body = as_bytes("body");
    CHECK(hash(tags::header, body) != hash(tags::bundle, body));
    CHECK(hash(tags::header, body) == hash({tags::header, body}));
  }

  TEST_CASE("numbers are hashed little-endian at their full width") {
    const std::vector<byte> two{0x02, 0x01}, eight{8, 7, 6, 5, 4, 3, 2, 1};
    CHECK(hasher{}.number(std::uint16_t{0x0102}).finish() == hash({two}));
    CHECK(hasher{}.number(round_number{0x0102030405060708}).finish() == hash({eight}));
    CHECK(leading_u64(eight) == 0x0102030405060708);
  }

  TEST_CASE(
      "hashers alive at once do not disturb each other, one can be used again, and a copy goes on "
      "alone") {
    hasher a(tags::header), b(tags::vote);
    a.update(as_bytes("x"));
    b.update(as_bytes("y"));
    a.update(as_bytes("z"));
    CHECK(a.finish() == hash(tags::header, as_bytes("xz")));
    CHECK(b.finish() == hash(tags::vote, as_bytes("y")));
    a.update(as_bytes("ab"));
    auto fork = a;
    CHECK(a.update(as_bytes("c")).finish() == hash({as_bytes("abc")}));
    CHECK(fork.update(as_bytes("d")).finish() == hash({as_bytes("abd")}));
  }

  TEST_CASE("a batch's digest binds author, worker, sequence, and the bundles in their order") {
    const std::vector<digest> one{hash({as_bytes("1")}), hash({as_bytes("2")})};
    const std::vector<digest> swapped{one[1], one[0]}, shorter{one[0]};
    const auto d = [](int a, int w, int s, const std::vector<digest>& bundles) {
      return batch_digest(validator_id(a), worker_id(w), batch_sequence(s), bundles);
    };
    const std::set<digest> all{d(1, 2, 3, one), d(2, 2, 3, one),     d(1, 3, 3, one),
                               d(1, 2, 4, one), d(1, 2, 3, swapped), d(1, 2, 3, shorter)};
    CHECK(all.size() == 6);
    CHECK(d(1, 2, 3, shorter) ==
          hash({tags::batch, little_endian(std::uint16_t{1}), little_endian(std::uint16_t{2}),
                little_endian(std::uint64_t{3}), one[0]}));
  }
}
