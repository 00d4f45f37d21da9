// Counters: what may come from a peer's or a client's message, so that nothing wraps.
#include "messages/identifiers.hpp"

#include <doctest/doctest.h>

using namespace flamingo;

TEST_SUITE("identifiers") {
  TEST_CASE("sums and differences of counters saturate") {
    constexpr auto most = ~std::uint64_t{0};
    CHECK(round_number{3} + 4 == round_number{7});
    CHECK(round_number{most - 2} + 2 == round_number{most});
    CHECK(round_number{most - 1} + 2 == round_number{most});
    CHECK(bundle_sequence{most} + 1 == bundle_sequence{most});
    CHECK(round_number{3} + most == round_number{most});
    CHECK(round_number{3} - 4 == round_number{0});
    CHECK(round_number{most} - most == round_number{0});
  }
}
