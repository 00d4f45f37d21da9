#include "actors/executor/schedulers/static.hpp"

namespace flamingo::executor {

void static_scheduler::schedule(const execution_batch& batch, partition_map& map,
                                batch_plan& into) {
  const std::size_t count = batch.ends.size();
  into.order.clear();
  into.masters.resize(count);
  into.holders.resize(batch.accesses.size());
  for (std::size_t a = 0; a < batch.accesses.size(); ++a)
    into.holders[a] = map.owner(batch.accesses[a].slot());
  std::uint32_t first = 0;
  for (std::size_t t = 0; t < count; ++t) {
    into.masters[t] = first < batch.ends[t] ? into.holders[first]
                                            : static_cast<std::uint8_t>(t % map.executors());
    first = batch.ends[t];
  }
}

}  // namespace flamingo::executor
