// Operations for the tests of applications: escrow's at random, and for each application those that
// a careless or hostile client sends, with what must become of them.
#pragma once

#include <limits>

#include "tests/unit/application_escrow.hpp"
#include "tests/unit/executor_stream.hpp"

namespace flamingo::executor::test {

/// An operation of an account's and, if it was worked out by hand, its result at genesis.
struct named_operation {
  const char* what;
  std::uint64_t account;
  std::vector<byte> bytes;
  result_code expected;
};

inline constexpr std::int64_t cents_max = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t cents_min = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint64_t no_account = ~std::uint64_t{0};

/// What amounts go wrong at.
inline std::int64_t edge_amount(std::mt19937_64& rng) {
  constexpr std::array<std::int64_t, 10> edges{
      0, 1, -1, 100, 101, cents_max, cents_max - 1, cents_max / 2, cents_min, cents_min + 1};
  return edges[rng() % edges.size()];
}

inline std::vector<byte> bytes_of(const smallbank::operation& x) {
  std::array<byte, smallbank::max_encoded_bytes> into;
  const byte_span out = smallbank::encode(x, into);
  return {out.begin(), out.end()};
}

/// Any procedure, of amounts at the edges.
inline std::vector<byte> edge_smallbank(std::mt19937_64& rng, std::uint64_t accounts) {
  smallbank::operation x;
  x.what = static_cast<smallbank::procedure>(rng() % smallbank::procedure_count);
  if (smallbank::has_other(x.what)) x.to = account_id{rng() % accounts};
  if (smallbank::has_amount(x.what)) x.amount_cents = edge_amount(rng);
  return bytes_of(x);
}

/// Opens, releases, refunds and proofs that often meet: few places, and payees who are the payer's
/// neighbours.
inline std::vector<byte> random_escrow(std::mt19937_64& rng, std::uint64_t accounts,
                                       std::uint64_t acting, bool edges = false) {
  const auto place = [&] { return static_cast<std::uint8_t>(rng() % 3); };
  const auto near = [&] { return (acting + 1 + rng() % 3) % accounts; };
  const auto amount = [&] {
    return edges ? edge_amount(rng) : static_cast<std::int64_t>(rng() % 120);
  };
  switch (rng() % 8) {
    case 0:
      return escrow::prove_funds(amount());
    case 1:
      return escrow::refund(
          (acting + accounts - 1 - rng() % std::min<std::uint64_t>(3, accounts)) % accounts,
          place());
    case 2:
    case 3:
    case 4: {
      std::vector<escrow::named_deal> deals;
      for (std::uint8_t i = 0; i < 3; ++i)
        if (deals.empty() || rng() % 2 == 0) deals.push_back({i, near()});
      return escrow::release(deals);
    }
    default:
      return escrow::open(place(), near(), amount());
  }
}

/// Writes random operations of escrow for a stream.
inline auto escrow_writer(std::uint64_t accounts, bool edges = false) {
  return [accounts, edges](operation_writer& into, std::mt19937_64& rng) {
    const std::uint64_t acting = rng() % accounts;
    into.application(account_id{acting}, random_escrow(rng, accounts, acting, edges));
  };
}

/// SmallBank's, where accounts 0 .. 9 exist with 100 cents in each balance.
inline std::vector<named_operation> hostile_smallbank() {
  using smallbank::procedure;
  using enum result_code;
  const auto amount = [](procedure what, std::int64_t cents) {
    return bytes_of({what, {}, cents});
  };
  const auto to = [](procedure what, std::uint64_t other, std::int64_t cents = 0) {
    return bytes_of({what, account_id{other}, cents});
  };
  auto longer = to(procedure::send_payment, 2, 1);
  longer.push_back(0);
  auto shorter = to(procedure::send_payment, 2, 1);
  shorter.pop_back();
  return {
      {"no byte", 1, {}, invalid_operation},
      {"an unknown procedure", 1, {6}, invalid_operation},
      {"the last procedure that a byte can name", 1, std::vector<byte>(17, 255), invalid_operation},
      {"a payment with a byte more", 1, longer, invalid_operation},
      {"a payment with a byte less", 1, shorter, invalid_operation},
      {"the longest operation", 1, std::vector<byte>(max_operation_bytes, 1), invalid_operation},
      {"the first account that does not exist", 10, {1}, invalid_account},
      {"the last account that a number names", no_account, {1}, invalid_account},
      {"a payment to nobody", 1, to(procedure::send_payment, 10, 1), invalid_account},
      {"everything to nobody", 1, to(procedure::amalgamate, no_account), invalid_account},
      {"a payment to oneself", 1, to(procedure::send_payment, 1, 1), invalid_same},
      {"everything to oneself", 1, to(procedure::amalgamate, 1), invalid_same},
      {"a payment of -1", 1, to(procedure::send_payment, 2, -1), invalid_amount},
      {"the least payment", 1, to(procedure::send_payment, 2, cents_min), invalid_amount},
      {"the largest payment", 1, to(procedure::send_payment, 2, cents_max), insufficient},
      {"a deposit of -1", 1, amount(procedure::deposit_checking, -1), invalid_amount},
      {"the least deposit", 1, amount(procedure::deposit_checking, cents_min), invalid_amount},
      {"the largest deposit", 1, amount(procedure::deposit_checking, cents_max), invalid_amount},
      {"the largest saving", 1, amount(procedure::transact_savings, cents_max), invalid_amount},
      {"the least saving", 1, amount(procedure::transact_savings, cents_min), insufficient},
      {"a check of -1", 1, amount(procedure::write_check, -1), invalid_amount},
      {"the least check", 1, amount(procedure::write_check, cents_min), invalid_amount},
      {"the largest check", 1, amount(procedure::write_check, cents_max), overdrawn},
  };
}

/// Key sets', where keys 0 .. 19 are dense and 20 .. 39 may exist.
inline std::vector<named_operation> hostile_keysets() {
  using enum result_code;
  const auto keys = [](std::vector<key_access> x, std::uint16_t cost = 1) {
    std::vector<byte> into(keyset::encoded_bytes(x.size()));
    keyset::encode(cost, x, into);
    return into;
  };
  std::vector<key_access> all;
  for (std::uint64_t key = 0; key <= max_accesses; ++key) all.push_back({key, access_mode::write});
  const std::vector<key_access> repeated((max_operation_bytes - 2) / keyset::access_bytes,
                                         {7, access_mode::write});
  auto longer = keys({{1, access_mode::read}});
  longer.push_back(0);
  return {
      {"no byte", 1, {}, invalid_operation},
      {"half a cost", 1, {1}, invalid_operation},
      {"no key", 1, keys({}), invalid_operation},
      {"a key with a byte more", 1, longer, invalid_operation},
      {"the longest operation", 1, std::vector<byte>(max_operation_bytes, 1), invalid_operation},
      {"a key more than a transaction may have", 1, keys(all), invalid_operation},
      {"as many keys as fit, all the same", 1, keys(repeated), invalid_same},
      {"a cost beyond the largest", 1, keys({{1, access_mode::write}}, 1001), invalid_operation},
      {"the last cost of all", 1, keys({{1, access_mode::write}}, 65535), invalid_operation},
      {"an unknown mode", 1, keys({{1, static_cast<access_mode>(2)}}), invalid_operation},
      {"the last mode of all", 1, keys({{1, static_cast<access_mode>(255)}}), invalid_operation},
      {"the first key that may not exist", 1, keys({{40, access_mode::read}}), invalid_account},
      {"the last key of all", 1, keys({{no_account, access_mode::write}}), invalid_account},
      {"a key that is read twice", 1, keys({{5, access_mode::read}, {5, access_mode::read}}),
       invalid_same},
      {"a key that is read and written", 1,
       keys({{25, access_mode::read}, {1, access_mode::read}, {25, access_mode::write}}),
       invalid_same},
  };
}

/// Escrow's, where accounts 0 .. 99 exist with 100 cents each, and no deal.
inline std::vector<named_operation> hostile_escrow() {
  using enum result_code;
  auto longer = escrow::open(0, 2, 1);
  longer.push_back(0);
  auto shorter = escrow::refund(2, 0);
  shorter.pop_back();
  auto half = escrow::release({{0, 2}, {1, 3}});
  half.pop_back();
  std::vector<escrow::named_deal> most, too_many;
  for (std::uint8_t i = 0; i < 17; ++i) too_many.push_back({i, 20u + i});
  most.assign(too_many.begin(), too_many.end() - 1);
  return {
      {"no byte", 1, {}, invalid_operation},
      {"an unknown verb", 1, {4}, invalid_operation},
      {"the last verb that a byte can name", 1, std::vector<byte>(18, 255), invalid_operation},
      {"an open with a byte more", 1, longer, invalid_operation},
      {"a refund with a byte less", 1, shorter, invalid_operation},
      {"a release of nothing", 1, escrow::release({}), invalid_operation},
      {"a release of one deal and a half", 1, half, invalid_operation},
      {"the longest operation", 1, std::vector<byte>(max_operation_bytes, 1), invalid_account},
      {"a place beyond the last", 1, escrow::open(escrow::places, 2, 1), invalid_operation},
      {"more deals than there are keys for", 1, escrow::release(too_many), invalid_operation},
      {"as many deals as there are keys for", 1, escrow::release(most), conflict},
      {"the first account that does not exist", 100, escrow::prove_funds(1), invalid_account},
      {"the last account of all", no_account, escrow::open(0, 1, 1), invalid_account},
      {"a deal with nobody", 1, escrow::open(0, 100, 1), invalid_account},
      {"a release to nobody", 1, escrow::release({{0, no_account}}), invalid_account},
      {"a refund to nobody", 1, escrow::refund(no_account, 0), invalid_account},
      {"a deal with oneself", 1, escrow::open(0, 1, 1), invalid_same},
      {"a release to oneself", 1, escrow::release({{0, 1}}), invalid_same},
      {"a release of one place twice", 1, escrow::release({{0, 2}, {0, 3}}), invalid_same},
      {"a release to one payee twice", 1, escrow::release({{0, 2}, {1, 2}}), invalid_same},
      {"a refund to oneself", 1, escrow::refund(1, 0), invalid_same},
      {"a deal of nothing", 1, escrow::open(0, 2, 0), invalid_amount},
      {"a deal of -1", 1, escrow::open(0, 2, -1), invalid_amount},
      {"the least deal", 1, escrow::open(0, 2, cents_min), invalid_amount},
      {"the largest deal", 1, escrow::open(0, 2, cents_max), insufficient},
      {"a proof of -1", 1, escrow::prove_funds(-1), invalid_amount},
      {"the largest proof", 1, escrow::prove_funds(cents_max), insufficient},
      {"a release of what is not there", 1, escrow::release({{0, 2}}), conflict},
      {"a refund of what is not there", 2, escrow::refund(1, 0), conflict},
  };
}

}  // namespace flamingo::executor::test
