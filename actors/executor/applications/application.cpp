#include "actors/executor/applications/application.hpp"

#include "actors/executor/applications/keyset.hpp"
#include "actors/executor/applications/smallbank.hpp"

namespace flamingo::executor {

std::shared_ptr<const application> make_application(const protocol_parameters& from) {
  if (from.application == "smallbank")
    return std::make_shared<smallbank::bank>(
        from.accounts,
        smallbank::balances{from.genesis_savings_cents, from.genesis_checking_cents});
  if (from.application == "keyset") return std::make_shared<keyset::keys>(from.accounts);
  return nullptr;
}

}  // namespace flamingo::executor
