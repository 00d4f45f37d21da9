// What is told of validators that refuse links: the newest reason of each, and when to give up.
#include "apps/flamingo/runtime/refusal_book.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

using namespace flamingo;
using link::ending;
using runtime::refusal_book;

namespace {

committee members(std::size_t n) {
  committee x;
  x.validators.resize(n);
  for (std::size_t i = 0; i < n; ++i) x.validators[i].name = fmt::format("v{}", i);
  return x;
}

link::peer validator(std::uint32_t i) {
  return {link::peer::kind::validator, i};
}

const link::ended other_chain{ending::wrong_chain, "chain id of validator-0 is aa, ours is bb"};
const link::ended busy{ending::handshake_timeout, "no hand-shake within 5 s"};

}  // namespace

TEST_SUITE("refusals") {
  TEST_CASE("waiting is useless once those that do not refuse for good are f at most") {
    const auto four = members(4);
    refusal_book book(4);
    CHECK_FALSE(book.summary(four));
    CHECK_FALSE(book.hopeless(four));
    book.note(validator(0), other_chain);
    book.note(validator(1), other_chain);
    CHECK_FALSE(book.hopeless(four));
    book.note(validator(2), busy);  // may be over at the next attempt
    CHECK_FALSE(book.hopeless(four));
    book.note(validator(2), other_chain);
    CHECK(book.hopeless(four) ==
          "3 of 4 validators refuse the link; v0: chain id of validator-0 is aa, ours is bb "
          "(wrong_chain): another network runs there: use its files, or start this one");
  }

  TEST_CASE("a link that came up takes back what was refused before") {
    const auto one = members(1);
    refusal_book book(1);
    book.note(validator(0), other_chain);
    REQUIRE(book.hopeless(one));
    book.forget(validator(0));
    CHECK_FALSE(book.hopeless(one));
    CHECK_FALSE(book.summary(one));
    CHECK_FALSE(book.line_of(0));
  }

  TEST_CASE("what lasts is told before what may pass") {
    const auto four = members(4);
    refusal_book book(4);
    book.note(validator(1), busy);
    CHECK(book.summary(four)->find("v1: no hand-shake within 5 s") != std::string::npos);
    book.note(validator(3), other_chain);
    CHECK(book.summary(four)->starts_with("2 of 4 validators refuse the link; v3: chain id"));
    CHECK(book.line_of(1) == "no hand-shake within 5 s (handshake_timeout)");
    CHECK_FALSE(book.lasting(1));
    CHECK(book.lasting(3));
  }

  TEST_CASE("who is no validator of the committee is not counted") {
    refusal_book book(1);
    book.note(validator(1), other_chain);
    book.note({link::peer::kind::client, 0}, other_chain);
    CHECK_FALSE(book.summary(members(1)));
  }
}
