#include "actors/executor/schedulers/scheduler.hpp"

#include "actors/executor/schedulers/static.hpp"

namespace flamingo::executor {

std::unique_ptr<scheduler> make_scheduler(std::string_view name) {
  if (name == "static") return std::make_unique<static_scheduler>();
  return nullptr;
}

}  // namespace flamingo::executor
