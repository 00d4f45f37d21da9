// Names of peers, and who is let in.
#include <doctest/doctest.h>

#include "actors/link/hello.hpp"

namespace flamingo::link {

namespace {

hello greeting() {
  hello out;
  out.chain.bytes.fill(0xc4);
  out.committee.bytes.fill(0xf1);
  out.about = conversation::workers;
  out.worker = worker_id{2};
  out.from = {peer::kind::validator, 3};
  return out;
}

const admission validators_only{peer::kind::validator, 4, 2, std::nullopt};

ending verdict(const hello& theirs, const admission& rule = validators_only,
               const std::optional<std::string>& certified = std::nullopt) {
  auto ours = greeting();
  ours.from.index = 0;
  const auto no = refusal(theirs, ours, rule, certified);
  return no ? no->why : ending::count_;
}

TEST_SUITE("link hello") {
  TEST_CASE("a peer's name is what its certificate says, and no other text is a name") {
    for (const peer p : {peer{peer::kind::validator, 0}, peer{peer::kind::validator, 4294967295u},
                         peer{peer::kind::client, 17}, peer{peer::kind::operator_, 0}})
      CHECK(parse_peer(to_string(p)) == p);
    CHECK(to_string(peer{peer::kind::client, 17}) == "client-17");
    for (const auto* text :
         {"", "validator", "validator-", "validator-03", "validator--1", "validator-1x",
          "validator-4294967296", "client-+1", "operator-0", "Validator-1", "validator-1 "})
      CHECK_FALSE(parse_peer(text));
  }

  TEST_CASE("a hello reads back as it was, within its bound") {
    const auto bytes = encode(greeting());
    CHECK(bytes.size() <= max_hello_bytes);
    CHECK(decode_hello(bytes) == greeting());
  }

  TEST_CASE("damaged hellos are refused or read, never worse") {
    const auto bytes = encode(greeting());
    for (std::size_t size = 0; size < bytes.size(); ++size)
      CHECK_FALSE(decode_hello({bytes.begin(), bytes.begin() + static_cast<long>(size)}));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      for (const int flip : {0x01, 0x80, 0xff}) {
        auto damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ flip);
        if (const auto read = decode_hello(damaged)) {
          CHECK(static_cast<std::size_t>(read->about) < conversations);
          CHECK(static_cast<std::size_t>(read->from.what) < peer_kinds);
        }
      }
  }

  TEST_CASE("each difference is a reason of its own, and the line names both values") {
    CHECK(verdict(greeting()) == ending::count_);
    auto other = greeting();
    other.version = 2;
    CHECK(verdict(other) == ending::wrong_version);
    other = greeting();
    other.chain.bytes[0] = 0;
    CHECK(verdict(other) == ending::wrong_chain);
    other = greeting();
    other.committee.bytes[31] = 0;
    CHECK(verdict(other) == ending::wrong_committee);
    other = greeting();
    other.about = conversation::primaries;
    CHECK(verdict(other) == ending::wrong_conversation);
    other = greeting();
    other.worker = worker_id{1};
    CHECK(verdict(other) == ending::wrong_worker);
    const auto no = refusal(other, greeting(), validators_only, std::nullopt);
    CHECK(no->line == "worker index of validator-3 is 1, ours is 2");
  }

  TEST_CASE("who says another name than its certificate is refused") {
    CHECK(verdict(greeting(), validators_only, "validator-3") == ending::count_);
    CHECK(verdict(greeting(), validators_only, "validator-2") == ending::wrong_name);
    CHECK(verdict(greeting(), validators_only, "nobody") == ending::wrong_name);
  }

  TEST_CASE("who is not in the committee or of the wrong kind is refused") {
    auto other = greeting();
    other.from.index = 4;
    CHECK(verdict(other) == ending::unknown_peer);
    other.from = {peer::kind::client, 0};
    CHECK(verdict(other) == ending::unknown_peer);
    const admission clients_only{peer::kind::client, 4, 2, std::nullopt};
    CHECK(verdict(other, clients_only) == ending::count_);
    other.from.index = 2;
    CHECK(verdict(other, clients_only) == ending::unknown_peer);
  }

  TEST_CASE("who is not whom we dialled is refused") {
    auto rule = validators_only;
    rule.dialled = peer{peer::kind::validator, 3};
    CHECK(verdict(greeting(), rule) == ending::count_);
    rule.dialled = peer{peer::kind::validator, 1};
    CHECK(verdict(greeting(), rule) == ending::unexpected_peer);
  }
}

}  // namespace

}  // namespace flamingo::link
