#include "apps/flamingo/runtime/actor_system_settings.hpp"

#include "actors/interfaces.hpp"
#include "apps/flamingo/runtime/network_module.hpp"

namespace flamingo::runtime {

actor_system_settings::actor_system_settings(const config::runtime_settings& x) {
  add_message_types<caf::id_block::flamingo>();
  load<network_module>();
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", static_cast<std::size_t>(x.threads));
  // By default an actor keeps its thread until its mailbox is empty: under load others, such as the
  // one that answers `status`, would wait for seconds.
  set("scheduler.max-throughput", std::size_t{20});
  // Nor do 50 reads of one socket stand between a link and its turn.
  set("middleman.max-consecutive-reads", std::size_t{1});
}

}  // namespace flamingo::runtime
