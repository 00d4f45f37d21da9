#include "actors/client/workload.hpp"

#include <algorithm>

#include "actors/executor/applications/smallbank.hpp"
#include "messages/assert.hpp"

namespace flamingo::client {

namespace smallbank = executor::smallbank;

workload::workload(const client_info& self, std::uint64_t accounts, const settings& with)
    : own_(self.accounts),
      accounts_(accounts),
      hot_per_mille_(with.hot_per_mille),
      random_(with.seed) {
  for (const auto& range : own_) own_count_ += range.last.value - range.first.value;
  hot_accounts_ =
      std::clamp<std::uint64_t>(with.hot_accounts, 1, std::max<std::uint64_t>(own_count_, 1));
}

account_id workload::acting() {
  FLAMINGO_ASSERT(own_count_ > 0);
  const bool hot = hot_per_mille_ > 0 && random_.below(1000) < hot_per_mille_;
  std::uint64_t index = random_.below(hot ? hot_accounts_ : own_count_);
  for (const auto& range : own_) {
    const std::uint64_t size = range.last.value - range.first.value;
    if (index < size) return account_id{range.first.value + index};
    index -= size;
  }
  return own_.front().first;
}

account_id workload::any_but(account_id x) {
  if (accounts_ < 2) return x;
  const std::uint64_t drawn = random_.below(accounts_ - 1);
  return account_id{drawn < x.value ? drawn : drawn + 1};
}

planned_transaction workload::next() {
  planned_transaction out;
  out.account = acting();
  smallbank::operation operation;
  operation.what = smallbank::procedure_at(static_cast<std::uint32_t>(random_.below(100)));
  if (smallbank::has_other(operation.what)) operation.to = any_but(out.account);
  if (smallbank::has_amount(operation.what)) {
    operation.amount_cents = static_cast<std::int64_t>(1 + random_.below(amount_max_cents));
    if (operation.what == smallbank::procedure::transact_savings)
      operation.amount_cents -= static_cast<std::int64_t>(amount_max_cents / 2);
  }
  static_assert(smallbank::max_encoded_bytes <= planned_transaction::operation_max);
  const auto written =
      smallbank::encode(operation, std::span(out.operation).first<smallbank::max_encoded_bytes>());
  out.size = static_cast<std::uint8_t>(written.size());
  return out;
}

}  // namespace flamingo::client
