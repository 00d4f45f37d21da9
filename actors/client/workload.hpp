// SmallBank transactions of one client (paper section 6; design: execution-layer balancing): the
// six procedures in the paper's mix, acting on the client's own accounts, paying to anybody's. A
// function of its seed. Pure.
#pragma once

#include <vector>

#include "actors/client/random.hpp"
#include "actors/client/settings.hpp"
#include "messages/committee.hpp"

namespace flamingo::client {

class workload {
public:
  /// @param accounts of the whole network: [0, accounts).
  workload(const client_info& self, std::uint64_t accounts, const settings& with);

  planned_transaction next();

private:
  account_id acting();
  account_id any_but(account_id x);

  static constexpr std::uint64_t amount_max_cents = 100;

  std::vector<account_range> own_;
  std::uint64_t own_count_ = 0, accounts_;
  std::uint32_t hot_per_mille_;
  std::uint64_t hot_accounts_;
  random random_;
};

}  // namespace flamingo::client
