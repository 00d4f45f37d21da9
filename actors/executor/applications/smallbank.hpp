// SmallBank (the paper's workload, section 6; Alomari et al., "The Cost of Serializability on
// Platforms That Use Snapshot Isolation", ICDE 2008): accounts with savings and checking, and six
// procedures. The first account of a procedure acts: it is the transaction's `account` and stands
// nowhere else. Amounts are i64 cents.
//
// An operation's bytes, little-endian, of exactly this size:
//   u8 procedure | u64 to, of amalgamate and send_payment | i64 amount, unless balance or
//   amalgamate
#pragma once

#include <optional>

#include "actors/executor/applications/application.hpp"

namespace flamingo::executor::smallbank {

enum class procedure : std::uint8_t {
  amalgamate,        // all money of the account goes to the checking of another
  balance,           // reads both balances
  deposit_checking,  // checking += amount
  send_payment,      // amount goes from checking to the checking of another
  transact_savings,  // savings += amount, of either sign
  write_check,       // checking -= amount, and a penalty of 1 cent if there is not as much in both
};
inline constexpr std::size_t procedure_count = 6;

/// The paper's mix: percent of each procedure, in the order of the enumerators.
inline constexpr std::array<std::uint32_t, procedure_count> mix{15, 15, 15, 25, 15, 15};

/// The procedure at a number drawn from 0..99.
constexpr procedure procedure_at(std::uint32_t percent) {
  std::size_t i = 0;
  while (i + 1 < procedure_count && percent >= mix[i]) percent -= mix[i++];
  return static_cast<procedure>(i);
}
static_assert(procedure_at(0) == procedure::amalgamate && procedure_at(44) != procedure_at(45) &&
              procedure_at(99) == procedure::write_check);

constexpr bool has_other(procedure p) {
  return p == procedure::amalgamate || p == procedure::send_payment;
}
constexpr bool has_amount(procedure p) {
  return p != procedure::amalgamate && p != procedure::balance;
}

struct operation {
  procedure what = procedure::balance;
  account_id to;                  // of amalgamate and send_payment only, else 0
  std::int64_t amount_cents = 0;  // unless balance or amalgamate

  friend bool operator==(const operation&, const operation&) = default;
};

inline constexpr std::size_t max_encoded_bytes = 17;
constexpr std::size_t encoded_bytes(procedure p) {
  return 1 + (has_other(p) ? 8u : 0u) + (has_amount(p) ? 8u : 0u);
}

/// Writes the operation to the start of `into` and returns what was written. Allocates nothing.
byte_span encode(const operation&, std::span<byte, max_encoded_bytes> into);

/// Nothing for bytes that are no operation: an unknown procedure, or another size than its own.
/// Says nothing of accounts and amounts.
std::optional<operation> decode(byte_span);

/// What an account holds; its value is savings, then checking, each i64 little-endian.
struct balances {
  std::int64_t savings_cents = 0, checking_cents = 0;
  friend bool operator==(const balances&, const balances&) = default;
};
inline constexpr std::size_t balances_bytes = 16;
balances read_balances(std::span<const byte, balances_bytes>);
void write_balances(const balances&, std::span<byte, balances_bytes>);

inline constexpr std::int64_t overdraft_penalty_cents = 1;

/// What became of one procedure. `own` and `other` are changed only if the result succeeded.
result_code apply(const operation&, balances& own, balances& other);

/// A transaction is refused, in this order, as: invalid_operation (not an operation),
/// invalid_account (the acting or the other account does not exist), invalid_same (both are the
/// same), invalid_amount (negative, except to transact_savings). When it runs: `insufficient`, or
/// invalid_amount if a sum leaves i64, or `overdrawn` for a check with penalty.
class bank final : public application {
public:
  bank(std::uint64_t accounts, balances at_genesis) : accounts_(accounts), genesis_(at_genesis) {}

  std::string_view name() const override { return "smallbank"; }
  std::size_t value_size() const override { return balances_bytes; }
  std::uint64_t dense_keys() const override { return accounts_; }
  void genesis(std::uint64_t key, std::span<byte> into) const override;
  void read_write_set(const stream_operation&, access_set& into) const override;
  result_code execute(const stream_operation&, const value_view&) const override;

private:
  std::uint64_t accounts_;
  balances genesis_;
};

}  // namespace flamingo::executor::smallbank
