// Escrow, the example of docs/applications.md: an application as somebody outside writes one, with
// that page alone. A payer sets money aside for a payee in one of its places; the payer releases
// it, or the payee gives it back. Money is neither made nor lost.
//
// An operation's bytes, little-endian. The account that acts is the transaction's and stands
// nowhere else:
//   open         0 | u8 place | u64 payee | i64 cents      the payer acts
//   release      1 | for each deal: u8 place | u64 payee   the payer acts, for 1 to 16 of its deals
//   refund       2 | u64 payer | u8 place                  the payee acts
//   prove_funds  3 | i64 cents                             changes nothing: applied, or
//   insufficient
#pragma once

#include <vector>

#include "actors/executor/applications/application.hpp"

namespace escrow {

using flamingo::byte;
using flamingo::byte_span;
using flamingo::result_code;
using flamingo::stream_operation;

enum class verb : byte { open, release, refund, prove_funds };

inline constexpr std::uint8_t places = 64;  // deals that a payer may have open at once

/// A deal as a release names it: the payee is there since keys follow from the bytes alone.
struct named_deal {
  std::uint8_t place = 0;
  std::uint64_t payee = 0;
};

std::vector<byte> open(std::uint8_t place, std::uint64_t payee, std::int64_t cents);
std::vector<byte> release(const std::vector<named_deal>&);
std::vector<byte> refund(std::uint64_t payer, std::uint8_t place);
std::vector<byte> prove_funds(std::int64_t cents);

/// The value of every key: an account's money, or a deal. A deal's cents are at least 1, so that
/// its value is not all zeros while it is open.
struct holding {
  std::int64_t cents = 0;
  std::uint64_t payee = 0;  // of a deal; 0 for an account
};
inline constexpr std::size_t holding_bytes = 16;
holding read_holding(std::span<const byte> value);
void write_holding(const holding&, std::span<byte> value);

/// Accounts are the keys 0 .. accounts - 1, from genesis on. A deal is the key
/// accounts + payer * places + place: no client can name more keys than these.
///
/// Refused, in this order, are: invalid_operation (no operation, a place beyond the last, more
/// deals than a transaction has keys for), invalid_account (one that does not exist), invalid_same
/// (payer and payee are one, or a release names a place or a payee twice), invalid_amount
/// (negative, or a deal of nothing); a release by its first deal at fault. When it runs:
/// `insufficient`, `conflict` (the place is taken, or the deal is not there or another payee's), or
/// invalid_amount if a sum leaves i64. A release does all or nothing.
class ledger final : public flamingo::executor::application {
public:
  ledger(std::uint64_t accounts, std::int64_t genesis_cents)
      : accounts_(accounts), genesis_cents_(genesis_cents) {}

  std::string_view name() const override { return "escrow"; }
  std::size_t value_size() const override { return holding_bytes; }
  std::uint64_t dense_keys() const override { return accounts_; }
  void genesis(std::uint64_t key, std::span<byte> into) const override;
  void read_write_set(const stream_operation&, flamingo::executor::access_set& into) const override;
  result_code execute(const stream_operation&,
                      const flamingo::executor::value_view&) const override;

  std::uint64_t deal_key(std::uint64_t payer, std::uint8_t place) const {
    return accounts_ + payer * places + place;
  }

private:
  std::uint64_t accounts_;
  std::int64_t genesis_cents_;
};

}  // namespace escrow
