#include "actors/executor/schedulers/scheduler.hpp"

#include "actors/executor/schedulers/flamingo.hpp"
#include "actors/executor/schedulers/flamingo_paper.hpp"
#include "actors/executor/schedulers/hermes.hpp"
#include "actors/executor/schedulers/pilotfish.hpp"
#include "actors/executor/schedulers/static.hpp"

namespace flamingo::executor {

std::unique_ptr<scheduler> make_scheduler(std::string_view name, std::uint32_t slack_per_mille) {
  if (name == "static") return std::make_unique<static_scheduler>();
  if (name == "pilotfish") return std::make_unique<pilotfish_scheduler>();
  if (name == "hermes") return std::make_unique<hermes_scheduler>(slack_per_mille);
  if (name == "flamingo") return std::make_unique<flamingo_scheduler>(slack_per_mille);
  if (name == "flamingo-paper") return std::make_unique<flamingo_paper_scheduler>(slack_per_mille);
  return nullptr;
}

}  // namespace flamingo::executor
