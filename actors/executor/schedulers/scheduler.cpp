#include "actors/executor/schedulers/scheduler.hpp"

#include "actors/executor/schedulers/flamingo.hpp"
#include "actors/executor/schedulers/static.hpp"

namespace flamingo::executor {

std::unique_ptr<scheduler> make_scheduler(std::string_view name, std::uint32_t slack_per_mille) {
  if (name == "static") return std::make_unique<static_scheduler>();
  if (name == "flamingo") return std::make_unique<flamingo_scheduler>(slack_per_mille);
  return nullptr;
}

}  // namespace flamingo::executor
