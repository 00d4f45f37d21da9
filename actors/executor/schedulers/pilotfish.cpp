#include "actors/executor/schedulers/pilotfish.hpp"

#include "actors/executor/mixed.hpp"

namespace flamingo::executor {

void pilotfish_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                   batch_plan& into) {
  into.order.clear();
  into.masters.resize(batch.ends.size());
  into.holders.resize(batch.accesses.size());
  for (std::size_t t = 0; t < batch.ends.size(); ++t)
    into.masters[t] = static_cast<std::uint8_t>(mixed(batch.first.value + t) % map.executors());
  for (std::size_t a = 0; a < batch.accesses.size(); ++a)
    into.holders[a] = map.owner(batch.accesses[a].slot());
}

}  // namespace flamingo::executor
