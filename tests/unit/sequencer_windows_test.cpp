// A client's bundle is fresh at most once, and no gap is ever passed over (design: ordering-layer
// balancing, "Exactly once").
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "actors/committer/client_windows.hpp"
#include "actors/committer/records.hpp"

using namespace flamingo;
using namespace flamingo::committer;

namespace {

constexpr std::uint64_t window = 256;

verdict take(client_window& x, std::uint64_t sequence, std::uint64_t expires = 100,
             std::uint64_t round = 10) {
  return x.take(bundle_sequence{sequence}, round_number{expires}, round_number{round}, window);
}

client_window through_store(const client_window& x) {
  const auto bytes = encode_window(x);
  const auto back = decode_window({reinterpret_cast<const byte*>(bytes.data()), bytes.size()});
  REQUIRE(back);
  return *back;
}

}  // namespace

TEST_SUITE("sequencer") {
  TEST_CASE("a sequence is fresh once, in whatever order sequences come") {
    client_window x;
    CHECK(x.low() == bundle_sequence{1});
    for (const std::uint64_t s : {3, 1, 2, 70, 4}) CHECK(take(x, s) == verdict::fresh);
    for (const std::uint64_t s : {1, 2, 3, 4, 70}) CHECK(take(x, s) == verdict::duplicate);
    CHECK(x.low() == bundle_sequence{5});
    CHECK(take(x, 0) == verdict::duplicate);
  }

  TEST_CASE("low stops at a gap until the gap is filled") {
    client_window x;
    for (std::uint64_t s = 2; s <= 200; ++s) CHECK(take(x, s) == verdict::fresh);
    CHECK(x.low() == bundle_sequence{1});
    CHECK(take(x, 1) == verdict::fresh);
    CHECK(x.low() == bundle_sequence{201});
    CHECK(take(x, 150) == verdict::duplicate);
  }

  TEST_CASE(
      "the window ends exactly window sequences above low, and what is beyond is not consumed") {
    client_window x;
    CHECK(take(x, window + 1) == verdict::out_of_window);
    CHECK(take(x, window) == verdict::fresh);
    CHECK(take(x, window) == verdict::duplicate);
    CHECK(take(x, ~std::uint64_t{0}) == verdict::out_of_window);
    CHECK(take(x, 1) == verdict::fresh);
    CHECK(x.low() == bundle_sequence{2});
    CHECK(take(x, window + 1) == verdict::fresh);  // it fits now
    CHECK(take(x, window + 2) == verdict::out_of_window);
  }

  TEST_CASE("an expired bundle consumes its sequence") {
    client_window x;
    CHECK(take(x, 1, 10, 10) == verdict::fresh);  // the last round at which it may be executed
    CHECK(take(x, 2, 10, 11) == verdict::expired);
    CHECK(take(x, 2, 100, 11) == verdict::duplicate);
    CHECK(x.low() == bundle_sequence{3});
    CHECK(take(x, 2 * window, 1, 11) == verdict::out_of_window);  // also if it is expired as well
  }

  TEST_CASE("a window does what a set of consumed sequences says") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 rng(seed);
      client_window x;
      std::set<std::uint64_t> consumed;
      std::uint64_t low = 1;
      for (int i = 0; i < 3000; ++i) {
        const std::uint64_t s =
            low + rng() % (window + 60) - std::min<std::uint64_t>(low, rng() % 40);
        const bool late = rng() % 10 == 0;
        const auto what = take(x, s, late ? 5 : 50);
        if (s < low || consumed.contains(s))
          REQUIRE(what == verdict::duplicate);
        else if (s >= low + window)
          REQUIRE(what == verdict::out_of_window);
        else {
          REQUIRE(what == (late ? verdict::expired : verdict::fresh));
          consumed.insert(s);
        }
        while (consumed.contains(low)) ++low;
        REQUIRE(x.low() == bundle_sequence{low});
        if (i % 100 == 0) {
          const auto back = through_store(x);
          REQUIRE(back == x);
          x = back;
        }
      }
      CHECK(low > 200);  // the window did move
    }
  }

  TEST_CASE("a window takes no more words than its bits") {
    client_window x;
    for (std::uint64_t s = window; s > 1; --s) take(x, s);
    CHECK(x.words().size() <= window / 64 + 1);
    take(x, 1);
    CHECK(x.low() == bundle_sequence{window + 1});
    CHECK(x.words().size() == 1);
  }

  TEST_CASE("clients have windows of their own, and only changed ones are written") {
    client_windows x(window);
    const auto bundle = [](std::uint32_t client, std::uint64_t sequence) {
      bundle_head b;
      b.client = client_id{client};
      b.sequence = bundle_sequence{sequence};
      b.expires = round_number{9};
      return b;
    };
    CHECK(x.take(bundle(4, 1), round_number{1}) == verdict::fresh);
    CHECK(x.take(bundle(2, 1), round_number{1}) == verdict::fresh);
    CHECK(x.take(bundle(7, window + 1), round_number{1}) == verdict::out_of_window);
    const auto changed = x.take_changed();
    REQUIRE(changed.size() == 2);
    CHECK(changed[0].first == client_id{2});
    CHECK(changed[1].first == client_id{4});
    CHECK(changed[1].second.low() == bundle_sequence{2});
    CHECK(x.take_changed().empty());
    CHECK(x.take(bundle(4, 1), round_number{1}) == verdict::duplicate);
    CHECK(x.take_changed().empty());
    CHECK(x.all().size() == 2);
  }

  TEST_CASE("records that were not written by us are refused") {
    const auto span = [](const std::vector<char>& x) {
      return byte_span{reinterpret_cast<const byte*>(x.data()), x.size()};
    };
    head_record head{{commit_index{1}, wave_number{2}, round_number{3}}, {4, 5, 6, 7, 8}, {}};
    head.chain.bytes[31] = 9;
    auto bytes = encode_head(head);
    CHECK(decode_head(span(bytes)) == head);
    bytes.pop_back();
    CHECK(!decode_head(span(bytes)));
    bytes = encode_head(head);
    bytes[0] = 2;
    CHECK(!decode_head(span(bytes)));
    client_window x;
    take(x, 5);
    bytes = encode_window(x);
    CHECK(decode_window(span(bytes)) == x);
    bytes.pop_back();
    CHECK(!decode_window(span(bytes)));
    CHECK(!decode_window({}));
  }
}
