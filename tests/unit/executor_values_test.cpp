// The flat index and the value store keep what they are given.
#include <doctest/doctest.h>

#include "tests/unit/executor_stream.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::test;

namespace {

byte_span as_span(const std::vector<char>& x) {
  return {reinterpret_cast<const byte*>(x.data()), x.size()};
}

value_store store_of(const application& rules) {
  return value_store(rules, std::make_shared<dense_buckets>(rules.dense_keys(), &bucket_of),
                     &bucket_of);
}

}  // namespace

TEST_SUITE("executor") {
  TEST_CASE("a flat index behaves as a map whatever is set and erased") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      flat_index index;
      std::map<std::uint64_t, std::uint32_t> map;
      const std::uint64_t range = 1 + rng() % 3000;
      for (int i = 0; i < 20'000; ++i) {
        // Multiples of a large power of two collide in a table that takes low bits.
        const std::uint64_t key = (rng() % range) << (rng() % 2 == 0 ? 0 : 32);
        if (rng() % 2 == 0) {
          index.set(key, static_cast<std::uint32_t>(i));
          map[key] = static_cast<std::uint32_t>(i);
        } else {
          index.erase(key);
          map.erase(key);
        }
        const std::uint64_t probe = rng() % range;
        const auto found = map.find(probe);
        REQUIRE(index.find(probe) == (found == map.end() ? flat_index::none : found->second));
      }
      CHECK(index.size() == map.size());
      for (const auto& [key, value] : map) CHECK(index.find(key) == value);
    }
  }

  TEST_CASE("a bucket holds its dense keys and the others that exist in ascending order") {
    const keyset::keys rules(500);
    value_store values = store_of(rules);
    const std::uint64_t written = 777, zeroed = 778;
    values.at(values.slot_of(written))[3] = 9;
    values.at(values.slot_of(zeroed))[3] = 9;
    values.at(values.slot_of(zeroed))[3] = 0;
    std::vector<std::uint64_t> found;
    for (std::size_t b = 0; b < bucket_count; ++b) {
      std::vector<char> bytes;
      const bool any = values.append_bucket(static_cast<std::uint16_t>(b), bytes);
      CHECK(any == (bytes.size() > 2));
      CHECK(static_cast<byte>(bytes[0]) == b % 256);
      CHECK(static_cast<byte>(bytes[1]) == b / 256);
      std::uint64_t last = 0;
      for (std::size_t at = 2; at < bytes.size(); at += 16) {
        std::uint64_t key;
        std::memcpy(&key, bytes.data() + at, 8);
        CHECK((at == 2 || key > last));
        CHECK(bucket_of(key) == b);
        last = key;
        found.push_back(key);
      }
    }
    std::sort(found.begin(), found.end());
    REQUIRE(found.size() == 501);
    CHECK(found[499] == 499);
    CHECK(found[500] == written);
  }

  TEST_CASE("a bucket is restored as it was and bytes of another one are refused") {
    const keyset::keys rules(3000);
    value_store values = store_of(rules), other = store_of(rules);
    std::mt19937_64 rng(3);
    for (int i = 0; i < 2000; ++i) {
      const std::uint32_t slot = values.slot_of(rng() % 6000);
      const std::uint64_t value = rng();
      std::memcpy(values.at(slot), &value, 8);
    }
    for (std::size_t b = 0; b < bucket_count; ++b) {
      std::vector<char> bytes, again;
      if (!values.append_bucket(static_cast<std::uint16_t>(b), bytes)) continue;
      REQUIRE(other.restore_bucket(as_span(bytes)));
      other.append_bucket(static_cast<std::uint16_t>(b), again);
      CHECK(again == bytes);
      CHECK(!other.restore_bucket(as_span(bytes).first(bytes.size() - 1)));
      bytes[0] ^= 1;
      CHECK(!other.restore_bucket(as_span(bytes)));
    }
  }

  TEST_CASE("values keep their place while sparse keys are added") {
    const keyset::keys rules(10);
    value_store values = store_of(rules);
    byte* const dense = values.at(values.slot_of(3));
    byte* const sparse = values.at(values.slot_of(1000));
    for (std::uint64_t key = 2000; key < 12'000; ++key) values.slot_of(key);
    CHECK(values.at(values.slot_of(3)) == dense);
    CHECK(values.at(values.slot_of(1000)) == sparse);
    CHECK(values.slots() == 10 + 1 + 10'000);
    CHECK(values.key_of(values.slot_of(11'999)) == 11'999);
    CHECK(values.bucket_of(values.slot_of(11'999)) == bucket_of(11'999));
  }

  TEST_CASE("a change shows once in the snapshot of each parity") {
    const keyset::keys rules(10);
    value_store values = store_of(rules);
    const std::uint16_t bucket = bucket_of(4);
    for (const unsigned parity : {0u, 1u}) {
      CHECK(values.changed(bucket, parity));  // at first everything is new
      values.clear_changed(bucket, parity);
      CHECK(!values.changed(bucket, parity));
    }
    values.mark_changed(values.slot_of(4));
    values.clear_changed(bucket, 1);
    CHECK(values.changed(bucket, 0));
    CHECK(!values.changed(bucket, 1));
  }
}
