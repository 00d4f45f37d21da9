// SmallBank's six procedures do what the design says, at the edges too, and its operations survive
// the trip while nothing else passes for one.
#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "actors/executor/applications/smallbank.hpp"

using namespace flamingo;
using namespace flamingo::executor;
using namespace flamingo::executor::smallbank;

namespace {

constexpr std::int64_t top = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t bottom = std::numeric_limits<std::int64_t>::min();

struct outcome {
  result_code code;
  balances own, other;
  friend bool operator==(const outcome&, const outcome&) = default;
};

/// Runs an operation of account 1 with account 2 through the application's interface.
outcome run(const operation& x, balances own, balances other = {}, std::uint64_t account = 1) {
  const bank application(10, {});
  std::array<byte, max_encoded_bytes> bytes;
  const stream_operation in{account_id{account}, encode(x, bytes), false};
  access_set set;
  application.read_write_set(in, set);
  if (set.refused()) {
    CHECK(set.accesses().empty());
    return {set.refusal(), own, other};
  }
  std::array<byte, 16> own_value, other_value;
  write_balances(own, own_value);
  write_balances(other, other_value);
  byte* at[] = {own_value.data(), other_value.data()};
  const auto code = application.execute(in, value_view(at, 16));
  return {code, read_balances(own_value), read_balances(other_value)};
}

operation with(procedure what, std::int64_t amount) {
  return {what, {}, amount};
}
operation to(procedure what, std::uint64_t other, std::int64_t amount = 0) {
  return {what, account_id{other}, amount};
}

}  // namespace

TEST_SUITE("smallbank") {
  TEST_CASE("every operation survives the trip in its own size") {
    for (std::size_t p = 0; p < procedure_count; ++p) {
      operation x{static_cast<procedure>(p), {}, 0};
      if (has_other(x.what)) x.to = account_id{0x1122334455667788};
      if (has_amount(x.what)) x.amount_cents = -5;
      std::array<byte, max_encoded_bytes> bytes;
      const auto encoded = encode(x, bytes);
      CHECK(encoded.size() == encoded_bytes(x.what));
      CHECK(decode(encoded) == x);
      CHECK(!decode(encoded.first(encoded.size() - 1)));
    }
    CHECK(encoded_bytes(procedure::send_payment) == max_encoded_bytes);
  }

  TEST_CASE("bytes that are no operation are refused") {
    CHECK(!decode({}));
    std::array<byte, 40> bytes{};
    for (std::size_t size = 1; size <= bytes.size(); ++size)
      for (unsigned p = 0; p < 256; ++p) {
        bytes[0] = static_cast<byte>(p);
        const bool fits = p < procedure_count && size == encoded_bytes(static_cast<procedure>(p));
        CHECK(decode(byte_span(bytes).first(size)).has_value() == fits);
      }
  }

  TEST_CASE("the mix is the paper's") {
    std::array<int, procedure_count> drawn{};
    for (std::uint32_t i = 0; i < 100; ++i) ++drawn[static_cast<std::size_t>(procedure_at(i))];
    CHECK(drawn == std::array<int, procedure_count>{15, 15, 15, 25, 15, 15});
  }

  TEST_CASE("amalgamate moves everything to the other's checking") {
    CHECK(run(to(procedure::amalgamate, 2), {30, 12}, {5, 6}) ==
          outcome{result_code::applied, {0, 0}, {5, 48}});
    CHECK(run(to(procedure::amalgamate, 2), {0, -10}, {5, 6}) ==
          outcome{result_code::applied, {0, 0}, {5, -4}});
    CHECK(run(to(procedure::amalgamate, 2), {top, 1}, {0, 0}) ==
          outcome{result_code::invalid_amount, {top, 1}, {0, 0}});
    CHECK(run(to(procedure::amalgamate, 2), {1, 1}, {0, top - 1}) ==
          outcome{result_code::invalid_amount, {1, 1}, {0, top - 1}});
  }

  TEST_CASE("balance changes nothing") {
    CHECK(run({procedure::balance, {}, 0}, {30, -12}) ==
          outcome{result_code::applied, {30, -12}, {}});
    CHECK(run({procedure::balance, {}, 0}, {top, 1}) ==
          outcome{result_code::invalid_amount, {top, 1}, {}});
  }

  TEST_CASE("a deposit adds to checking and refuses negative amounts and overflow") {
    CHECK(run(with(procedure::deposit_checking, 7), {1, 2}) ==
          outcome{result_code::applied, {1, 9}, {}});
    CHECK(run(with(procedure::deposit_checking, 0), {1, 2}) ==
          outcome{result_code::applied, {1, 2}, {}});
    CHECK(run(with(procedure::deposit_checking, -1), {1, 2}) ==
          outcome{result_code::invalid_amount, {1, 2}, {}});
    CHECK(run(with(procedure::deposit_checking, top), {1, 1}) ==
          outcome{result_code::invalid_amount, {1, 1}, {}});
  }

  TEST_CASE("a payment needs enough in checking and moves exactly its amount") {
    CHECK(run(to(procedure::send_payment, 2, 5), {9, 5}, {1, 1}) ==
          outcome{result_code::applied, {9, 0}, {1, 6}});
    CHECK(run(to(procedure::send_payment, 2, 6), {9, 5}, {1, 1}) ==
          outcome{result_code::insufficient, {9, 5}, {1, 1}});
    CHECK(run(to(procedure::send_payment, 2, 0), {0, -1}, {1, 1}) ==
          outcome{result_code::insufficient, {0, -1}, {1, 1}});
    CHECK(run(to(procedure::send_payment, 2, -6), {9, 5}, {1, 1}) ==
          outcome{result_code::invalid_amount, {9, 5}, {1, 1}});
    CHECK(run(to(procedure::send_payment, 2, 5), {0, 5}, {0, top - 4}) ==
          outcome{result_code::invalid_amount, {0, 5}, {0, top - 4}});
  }

  TEST_CASE("savings take either sign but never go below zero") {
    CHECK(run(with(procedure::transact_savings, -5), {5, 1}) ==
          outcome{result_code::applied, {0, 1}, {}});
    CHECK(run(with(procedure::transact_savings, -6), {5, 1}) ==
          outcome{result_code::insufficient, {5, 1}, {}});
    CHECK(run(with(procedure::transact_savings, bottom), {0, 1}) ==
          outcome{result_code::insufficient, {0, 1}, {}});
    CHECK(run(with(procedure::transact_savings, top), {1, 1}) ==
          outcome{result_code::invalid_amount, {1, 1}, {}});
  }

  TEST_CASE("a check beyond both balances costs one cent more") {
    CHECK(run(with(procedure::write_check, 15), {5, 10}) ==
          outcome{result_code::applied, {5, -5}, {}});
    CHECK(run(with(procedure::write_check, 16), {5, 10}) ==
          outcome{result_code::overdrawn, {5, -7}, {}});
    CHECK(run(with(procedure::write_check, -1), {5, 10}) ==
          outcome{result_code::invalid_amount, {5, 10}, {}});
    CHECK(run(with(procedure::write_check, top), {0, bottom + top}) ==
          outcome{result_code::invalid_amount, {0, bottom + top}, {}});
    CHECK(run(with(procedure::write_check, top), {0, -2}) ==
          outcome{result_code::invalid_amount, {0, -2}, {}});
  }

  TEST_CASE("accounts that do not exist or are the same are refused in this order") {
    CHECK(run(with(procedure::balance, 0), {}, {}, 10).code == result_code::invalid_account);
    CHECK(run(to(procedure::send_payment, 10, 1), {}).code == result_code::invalid_account);
    CHECK(run(to(procedure::send_payment, ~std::uint64_t{0}, 1), {}).code ==
          result_code::invalid_account);
    CHECK(run(to(procedure::send_payment, 1, -1), {}).code == result_code::invalid_same);
    CHECK(run(to(procedure::amalgamate, 1), {}).code == result_code::invalid_same);
    CHECK(run(to(procedure::send_payment, 10, -1), {}, {}, 10).code ==
          result_code::invalid_account);
  }

  TEST_CASE("the read and write set names the accounts that the procedure touches") {
    const bank application(10, {});
    std::array<byte, max_encoded_bytes> bytes;
    access_set set;
    application.read_write_set(
        {account_id{3}, encode(to(procedure::send_payment, 7, 1), bytes), false}, set);
    REQUIRE(set.accesses().size() == 2);
    CHECK(set.accesses()[0] == key_access{3, access_mode::write});
    CHECK(set.accesses()[1] == key_access{7, access_mode::write});
    set.clear();
    application.read_write_set({account_id{3}, encode({procedure::balance, {}, 0}, bytes), false},
                               set);
    REQUIRE(set.accesses().size() == 1);
    CHECK(set.accesses()[0] == key_access{3, access_mode::read});
  }

  TEST_CASE("whatever the bytes the application answers with a result") {
    const bank application(10, {});
    std::mt19937 rng(5);
    for (int i = 0; i < 100'000; ++i) {
      std::array<byte, 20> bytes;
      for (auto& b : bytes) b = static_cast<byte>(rng() % 4 == 0 ? rng() : rng() % 7);
      const auto operation = byte_span(bytes).first(rng() % (bytes.size() + 1));
      const stream_operation in{account_id{rng() % 12}, operation, false};
      access_set set;
      application.read_write_set(in, set);
      if (set.refused()) continue;
      std::array<byte, 16> own{}, other{};
      byte* at[] = {own.data(), other.data()};
      const auto result = application.execute(in, value_view(at, 16));
      REQUIRE(result != result_code::system);
      REQUIRE(result <= result_code::overdrawn);
    }
  }
}
