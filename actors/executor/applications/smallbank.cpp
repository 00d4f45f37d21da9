#include "actors/executor/applications/smallbank.hpp"

#include <bit>
#include <cstring>

namespace flamingo::executor::smallbank {

// Numbers are copied to and from their little-endian bytes as they are.
static_assert(std::endian::native == std::endian::little);

namespace {

bool add(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return !__builtin_add_overflow(a, b, &sum);
}
bool subtract(std::int64_t a, std::int64_t b, std::int64_t& difference) {
  return !__builtin_sub_overflow(a, b, &difference);
}

result_code amalgamate(balances& own, balances& other) {
  std::int64_t all = 0, received = 0;
  if (!add(own.savings_cents, own.checking_cents, all) || !add(other.checking_cents, all, received))
    return result_code::invalid_amount;
  own = {};
  other.checking_cents = received;
  return result_code::applied;
}

result_code read_both(const balances& own) {
  std::int64_t all = 0;
  return add(own.savings_cents, own.checking_cents, all) ? result_code::applied
                                                         : result_code::invalid_amount;
}

result_code deposit(std::int64_t amount, balances& own) {
  std::int64_t checking = 0;
  if (!add(own.checking_cents, amount, checking)) return result_code::invalid_amount;
  own.checking_cents = checking;
  return result_code::applied;
}

result_code pay(std::int64_t amount, balances& own, balances& other) {
  if (own.checking_cents < amount) return result_code::insufficient;
  std::int64_t left = 0, received = 0;
  if (!subtract(own.checking_cents, amount, left) || !add(other.checking_cents, amount, received))
    return result_code::invalid_amount;
  own.checking_cents = left;
  other.checking_cents = received;
  return result_code::applied;
}

result_code save(std::int64_t amount, balances& own) {
  std::int64_t savings = 0;
  if (!add(own.savings_cents, amount, savings)) return result_code::invalid_amount;
  if (savings < 0) return result_code::insufficient;
  own.savings_cents = savings;
  return result_code::applied;
}

result_code write_check(std::int64_t amount, balances& own) {
  std::int64_t all = 0, left = 0;
  if (!add(own.savings_cents, own.checking_cents, all) ||
      !subtract(own.checking_cents, amount, left))
    return result_code::invalid_amount;
  const bool overdraft = all < amount;
  if (overdraft && !subtract(left, overdraft_penalty_cents, left))
    return result_code::invalid_amount;
  own.checking_cents = left;
  return overdraft ? result_code::overdrawn : result_code::applied;
}

}  // namespace

byte_span encode(const operation& x, std::span<byte, max_encoded_bytes> into) {
  byte* at = into.data();
  *at++ = static_cast<byte>(x.what);
  if (has_other(x.what)) {
    std::memcpy(at, &x.to.value, sizeof x.to.value);
    at += sizeof x.to.value;
  }
  if (has_amount(x.what)) {
    std::memcpy(at, &x.amount_cents, sizeof x.amount_cents);
    at += sizeof x.amount_cents;
  }
  return into.first(static_cast<std::size_t>(at - into.data()));
}

std::optional<operation> decode(byte_span bytes) {
  if (bytes.empty() || bytes[0] >= procedure_count) return std::nullopt;
  operation x;
  x.what = static_cast<procedure>(bytes[0]);
  if (bytes.size() != encoded_bytes(x.what)) return std::nullopt;
  const byte* at = bytes.data() + 1;
  if (has_other(x.what)) {
    std::memcpy(&x.to.value, at, sizeof x.to.value);
    at += sizeof x.to.value;
  }
  if (has_amount(x.what)) std::memcpy(&x.amount_cents, at, sizeof x.amount_cents);
  return x;
}

balances read_balances(std::span<const byte, balances_bytes> from) {
  balances x;
  std::memcpy(&x.savings_cents, from.data(), 8);
  std::memcpy(&x.checking_cents, from.data() + 8, 8);
  return x;
}

void write_balances(const balances& x, std::span<byte, balances_bytes> into) {
  std::memcpy(into.data(), &x.savings_cents, 8);
  std::memcpy(into.data() + 8, &x.checking_cents, 8);
}

result_code apply(const operation& x, balances& own, balances& other) {
  switch (x.what) {
    case procedure::amalgamate:
      return amalgamate(own, other);
    case procedure::balance:
      return read_both(own);
    case procedure::deposit_checking:
      return deposit(x.amount_cents, own);
    case procedure::send_payment:
      return pay(x.amount_cents, own, other);
    case procedure::transact_savings:
      return save(x.amount_cents, own);
    case procedure::write_check:
      return write_check(x.amount_cents, own);
  }
  return result_code::invalid_operation;
}

void bank::genesis(std::uint64_t, std::span<byte> into) const {
  write_balances(genesis_, into.first<balances_bytes>());
}

void bank::read_write_set(const stream_operation& from, access_set& into) const {
  const auto x = decode(from.operation);
  if (!x) return into.refuse(result_code::invalid_operation);
  if (from.account.value >= accounts_) return into.refuse(result_code::invalid_account);
  if (has_other(x->what)) {
    if (x->to.value >= accounts_) return into.refuse(result_code::invalid_account);
    if (x->to == from.account) return into.refuse(result_code::invalid_same);
  }
  if (x->amount_cents < 0 && x->what != procedure::transact_savings)
    return into.refuse(result_code::invalid_amount);
  into.add(from.account.value,
           x->what == procedure::balance ? access_mode::read : access_mode::write);
  if (has_other(x->what)) into.add(x->to.value, access_mode::write);
}

result_code bank::execute(const stream_operation& from, const value_view& values) const {
  const auto x = decode(from.operation);
  FLAMINGO_ASSERT(x);  // else it was refused
  balances own = read_balances(values.read(0).first<balances_bytes>()), other;
  if (has_other(x->what)) other = read_balances(values.read(1).first<balances_bytes>());
  const result_code result = apply(*x, own, other);
  if (!succeeded(result) || x->what == procedure::balance) return result;
  write_balances(own, values.write(0).first<balances_bytes>());
  if (has_other(x->what)) write_balances(other, values.write(1).first<balances_bytes>());
  return result;
}

}  // namespace flamingo::executor::smallbank
