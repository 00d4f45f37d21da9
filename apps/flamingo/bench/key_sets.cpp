#include "apps/flamingo/bench/key_sets.hpp"

#include <algorithm>

#include "messages/assert.hpp"

namespace flamingo::bench {

namespace {

std::size_t accounts_of(weight x, bool distributed) {
  switch (x) {
    case weight::light:
      return distributed ? 2 : 1;
    case weight::medium:
      return 4;
    case weight::heavy:
      return 16;
  }
  return 1;
}

}  // namespace

std::string_view to_string(weight x) {
  constexpr std::array<std::string_view, 3> names{"light", "medium", "heavy"};
  return names.at(static_cast<std::size_t>(x));
}

key_sets::key_sets(const key_set_load& load, std::span<const std::uint8_t> homes)
    : load_(load), random_(load.seed), shards_(load.executors) {
  for (std::uint32_t account = 0; account < homes.size(); ++account)
    shards_.at(homes[account]).accounts.push_back(account);
  for (const shard& x : shards_)
    FLAMINGO_ASSERT(x.accounts.size() >= 4 * accounts_of(weight::heavy, false));
  costs_.assign(batch_transactions, 1);
}

executor::execution_batch key_sets::next() {
  accesses_.clear();
  ends_.clear();
  while (ends_.size() < batch_transactions) add_transaction();
  const stream_position first{position_};
  position_ += batch_transactions;
  return {first, accesses_, ends_, costs_};
}

void key_sets::add_transaction() {
  const std::size_t others = shards_.size() - 1;
  const std::size_t home = others == 0 || chance(load_.first_percent) ? 0 : 1 + draw(others);
  const bool distributed = chance(load_.distributed_percent);
  const std::size_t second =
      distributed && others > 0 ? (home + 1 + draw(others)) % shards_.size() : home;
  const bool writes = draw(7) != 0;
  const std::size_t count = accounts_of(load_.transactions, distributed);
  const std::size_t first = accesses_.size();
  for (std::size_t i = 0; i < count; ++i)
    add_account(shards_[2 * i < count ? home : second], first, writes);
  ends_.push_back(static_cast<std::uint32_t>(accesses_.size()));
}

void key_sets::add_account(shard& from, std::size_t first, bool writes) {
  const auto is_taken = [&](std::uint32_t account) {
    return std::any_of(accesses_.begin() + static_cast<std::ptrdiff_t>(first), accesses_.end(),
                       [account](executor::slot_access x) { return x.slot() == account; });
  };
  std::uint32_t account = from.accounts[draw(from.accounts.size())];
  if (from.touched > 0 && chance(load_.overlap_percent))
    account = from.recent[draw(std::min(from.touched, recent_accounts))];
  while (is_taken(account)) account = from.accounts[draw(from.accounts.size())];
  from.recent[from.touched++ % recent_accounts] = account;
  accesses_.emplace_back(account, writes);
}

}  // namespace flamingo::bench
