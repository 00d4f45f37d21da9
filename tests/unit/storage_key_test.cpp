// storage/kv: keys sort as the numbers in them, and a batch counts its bytes.
#include <doctest/doctest.h>

#include "messages/identifiers.hpp"
#include "storage/kv.hpp"

using namespace flamingo;
using namespace flamingo::storage;

TEST_SUITE("storage keys") {
  TEST_CASE("keys sort by round, then author, across every byte boundary") {
    std::vector<key> keys;
    for (const std::uint64_t round : {0ull, 1ull, 255ull, 256ull, 65536ull, 1ull << 56, ~0ull})
      for (const std::uint16_t author : {0, 1, 255, 256, 65535})
        keys.push_back(key::of(round_number{round}, validator_id{author}));
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      CHECK(keys[i] < keys[i + 1]);
      CHECK(keys[i].size() == 10);
    }
    CHECK(number_at<std::uint64_t>(keys[9], 0) == 1);
    CHECK(number_at<std::uint16_t>(keys[9], 8) == 65535);
  }

  TEST_CASE("a shorter key sorts before its extensions, and its prefix end after all of them") {
    const key a = key::of(std::uint16_t{0x01ff});
    const key longer = key::of(std::uint16_t{0x01ff}, ~std::uint64_t{0});
    CHECK(a < longer);
    CHECK(longer < a.prefix_end());
    CHECK(a.prefix_end() == key::of(std::uint8_t{0x02}));
    CHECK(key::of(std::uint16_t{0xffff}).prefix_end() == key::end());
  }

  TEST_CASE("a digest is kept as it is") {
    digest d;
    for (std::size_t i = 0; i < d.bytes.size(); ++i) d.bytes[i] = static_cast<byte>(i);
    const key k = key::of(worker_id{3}, d);
    CHECK(k.size() == 34);
    CHECK(k.data()[33] == 31);
  }

  TEST_CASE("a batch counts the bytes of its keys and of every part of a value") {
    write_batch batch;
    const shared_bytes part(std::vector<char>(100));
    batch.put(table::batches, key::of(std::uint64_t{1}), value_parts{part, part, part});
    CHECK(batch.bytes() == 308);
    batch.erase(table::batches, key::of(std::uint64_t{1}));
    CHECK(batch.bytes() == 316);
    CHECK(batch.operations().size() == 2);
  }
}
