#include "tests/unit/application_escrow.hpp"

#include <bit>
#include <cstring>
#include <optional>

namespace escrow {

using flamingo::executor::access_mode;
using flamingo::executor::access_set;
using flamingo::executor::value_view;

// Numbers are copied to and from their little-endian bytes as they are.
static_assert(std::endian::native == std::endian::little);

namespace {

/// Reads fields from bytes that are anything. Fields that are not there are 0.
class reader {
public:
  explicit reader(byte_span bytes) : rest_(bytes) {}

  template <class T>
  T next() {
    T x{};
    if (rest_.size() < sizeof x) {
      short_ = true;
      rest_ = {};
      return x;
    }
    std::memcpy(&x, rest_.data(), sizeof x);
    rest_ = rest_.subspan(sizeof x);
    return x;
  }
  bool at_end() const { return rest_.empty(); }
  bool whole() const { return !short_; }              // every field was there,
  bool exact() const { return whole() && at_end(); }  // and nothing else

private:
  byte_span rest_;
  bool short_ = false;
};

template <class T>
void append(std::vector<byte>& into, T x) {
  const auto* const at = reinterpret_cast<const byte*>(&x);
  into.insert(into.end(), at, at + sizeof x);
}

bool add(std::int64_t& to, std::int64_t cents) {
  return !__builtin_add_overflow(to, cents, &to);
}

// -- keys, from the bytes alone

void keys_of_open(reader x, std::uint64_t payer, const ledger& rules, access_set& into) {
  const auto place = x.next<std::uint8_t>();
  const auto payee = x.next<std::uint64_t>();
  const auto cents = x.next<std::int64_t>();
  if (!x.exact() || place >= places) return into.refuse(result_code::invalid_operation);
  if (payee >= rules.dense_keys()) return into.refuse(result_code::invalid_account);
  if (payee == payer) return into.refuse(result_code::invalid_same);
  if (cents <= 0) return into.refuse(result_code::invalid_amount);
  into.add(payer, access_mode::write);
  into.add(rules.deal_key(payer, place), access_mode::write);
}

void keys_of_release(reader x, std::uint64_t payer, const ledger& rules, access_set& into) {
  std::uint16_t deals = 0;
  do {
    const auto place = x.next<std::uint8_t>();
    const auto payee = x.next<std::uint64_t>();
    if (!x.whole() || place >= places) return into.refuse(result_code::invalid_operation);
    if (payee >= rules.dense_keys()) return into.refuse(result_code::invalid_account);
    if (payee == payer) return into.refuse(result_code::invalid_same);
    for (const auto& earlier : into.accesses())
      if (earlier.key == payee || earlier.key == rules.deal_key(payer, place))
        return into.refuse(result_code::invalid_same);
    if (!into.add(rules.deal_key(payer, place), access_mode::write)) return;
    if (!into.add(payee, access_mode::write)) return;
    ++deals;
  } while (!x.at_end());
  into.set_cost(deals);
}

void keys_of_refund(reader x, std::uint64_t payee, const ledger& rules, access_set& into) {
  const auto payer = x.next<std::uint64_t>();
  const auto place = x.next<std::uint8_t>();
  if (!x.exact() || place >= places) return into.refuse(result_code::invalid_operation);
  if (payer >= rules.dense_keys()) return into.refuse(result_code::invalid_account);
  if (payer == payee) return into.refuse(result_code::invalid_same);
  into.add(payer, access_mode::write);
  into.add(rules.deal_key(payer, place), access_mode::write);
}

void keys_of_proof(reader x, std::uint64_t account, access_set& into) {
  const auto cents = x.next<std::int64_t>();
  if (!x.exact()) return into.refuse(result_code::invalid_operation);
  if (cents < 0) return into.refuse(result_code::invalid_amount);
  into.add(account, access_mode::read);
}

// -- what happens, in the order of the keys above

result_code run_open(reader x, const value_view& values) {
  x.next<std::uint8_t>();
  const auto payee = x.next<std::uint64_t>();
  const auto cents = x.next<std::int64_t>();
  holding payer = read_holding(values.read(0));
  if (read_holding(values.read(1)).cents != 0) return result_code::conflict;
  if (payer.cents < cents) return result_code::insufficient;
  payer.cents -= cents;
  write_holding(payer, values.write(0));
  write_holding({cents, payee}, values.write(1));
  return result_code::applied;
}

result_code run_release(reader x, const value_view& values) {
  std::size_t count = 0;
  for (reader look = x; !look.at_end(); count += 2) {
    look.next<std::uint8_t>();
    const holding deal = read_holding(values.read(count));
    holding payee = read_holding(values.read(count + 1));
    if (deal.cents == 0 || deal.payee != look.next<std::uint64_t>()) return result_code::conflict;
    if (!add(payee.cents, deal.cents)) return result_code::invalid_amount;
  }
  // Nothing was written so far, and nothing can go wrong any more.
  for (std::size_t i = 0; i < count; i += 2) {
    holding payee = read_holding(values.read(i + 1));
    payee.cents += read_holding(values.read(i)).cents;
    write_holding({}, values.write(i));
    write_holding(payee, values.write(i + 1));
  }
  return result_code::applied;
}

result_code run_refund(std::uint64_t payee, const value_view& values) {
  holding payer = read_holding(values.read(0));
  const holding deal = read_holding(values.read(1));
  if (deal.cents == 0 || deal.payee != payee) return result_code::conflict;
  if (!add(payer.cents, deal.cents)) return result_code::invalid_amount;
  write_holding(payer, values.write(0));
  write_holding({}, values.write(1));
  return result_code::applied;
}

}  // namespace

std::vector<byte> open(std::uint8_t place, std::uint64_t payee, std::int64_t cents) {
  std::vector<byte> out{static_cast<byte>(verb::open)};
  append(out, place);
  append(out, payee);
  append(out, cents);
  return out;
}

std::vector<byte> release(const std::vector<named_deal>& deals) {
  std::vector<byte> out{static_cast<byte>(verb::release)};
  for (const named_deal& x : deals) {
    append(out, x.place);
    append(out, x.payee);
  }
  return out;
}

std::vector<byte> refund(std::uint64_t payer, std::uint8_t place) {
  std::vector<byte> out{static_cast<byte>(verb::refund)};
  append(out, payer);
  append(out, place);
  return out;
}

std::vector<byte> prove_funds(std::int64_t cents) {
  std::vector<byte> out{static_cast<byte>(verb::prove_funds)};
  append(out, cents);
  return out;
}

holding read_holding(std::span<const byte> value) {
  holding x;
  std::memcpy(&x.cents, value.data(), sizeof x.cents);
  std::memcpy(&x.payee, value.data() + sizeof x.cents, sizeof x.payee);
  return x;
}

void write_holding(const holding& x, std::span<byte> value) {
  std::memcpy(value.data(), &x.cents, sizeof x.cents);
  std::memcpy(value.data() + sizeof x.cents, &x.payee, sizeof x.payee);
}

void ledger::genesis(std::uint64_t, std::span<byte> into) const {
  write_holding({genesis_cents_, 0}, into);
}

void ledger::read_write_set(const stream_operation& from, access_set& into) const {
  reader x(from.operation);
  if (x.at_end()) return into.refuse(result_code::invalid_operation);
  const auto what = static_cast<verb>(x.next<byte>());
  if (what > verb::prove_funds) return into.refuse(result_code::invalid_operation);
  const std::uint64_t acting = from.account.value;
  if (acting >= accounts_) return into.refuse(result_code::invalid_account);
  switch (what) {
    case verb::open:
      return keys_of_open(x, acting, *this, into);
    case verb::release:
      return keys_of_release(x, acting, *this, into);
    case verb::refund:
      return keys_of_refund(x, acting, *this, into);
    case verb::prove_funds:
      return keys_of_proof(x, acting, into);
  }
}

result_code ledger::execute(const stream_operation& from, const value_view& values) const {
  reader x(from.operation);
  switch (static_cast<verb>(x.next<byte>())) {
    case verb::open:
      return run_open(x, values);
    case verb::release:
      return run_release(x, values);
    case verb::refund:
      return run_refund(from.account.value, values);
    case verb::prove_funds:
      return read_holding(values.read(0)).cents < x.next<std::int64_t>() ? result_code::insufficient
                                                                         : result_code::applied;
  }
  return result_code::invalid_operation;
}

}  // namespace escrow
