#include "actors/validator/introduction.hpp"

#include <caf/send.hpp>

namespace flamingo::validator {

namespace {

template <class Role, class... Whom>
void meet(const Role& role, Whom&&... whom) {
  caf::anon_send(role, atom::meet_v, std::forward<Whom>(whom)...);
}

/// Calls f(id, handle) for each member of a list of handles.
template <class Id, class Handle, class F>
void each(const std::vector<Handle>& list, F&& f) {
  for (std::uint16_t i = 0; i < list.size(); ++i) f(Id{i}, list[i]);
}

}  // namespace

void introduce(const role_handles& here, const role_handles& all) {
  if (here.primary) {
    meet(here.primary, header_sink{all.aggregator});
    meet(here.aggregator, certified_sink{all.primary});
    meet(here.aggregator, certified_sink{all.committer});
    meet(here.committer, committed_sink{all.primary});
    meet(here.committer, committed_sink{all.aggregator});
    meet(here.committer, signals_sink{all.load_monitor});
    meet(here.committer, control_sink{all.coordinator});
    meet(here.coordinator, record_sink{all.primary});
    meet(here.aggregator, certified_sink{all.checkpointer});
    meet(here.committer, checkpoint_sink{all.checkpointer});
    meet(here.checkpointer, record_sink{all.primary});
    meet(here.checkpointer, divergence_sink{all.committer});
    if (all.states) meet(here.checkpointer, all.states);
    each<worker_id>(all.workers, [&](worker_id i, const worker_actor& worker) {
      meet(here.primary, i, availability_source{worker});
      meet(here.committer, i, sequenced_sink{worker});
      meet(here.coordinator, i, assignment_sink{worker});
      meet(here.checkpointer, i, divergence_sink{worker});
    });
    meet(here.desk, scale_sink{all.executors});
  }
  for (const auto& worker : here.workers) {
    // The primary last: a worker that meets it again tells both anew what is here.
    meet(worker, index_sink{all.committer});
    meet(worker, availability_sink{all.primary});
  }
  // It introduces its executors, who come and go.
  if (here.executors) {
    meet(here.executors, group_keeper{all.committer});
    meet(here.executors, executors_sink{all.desk});
    each<worker_id>(all.workers, [&](worker_id i, const worker_actor& worker) {
      meet(here.executors, i, executors_worker{worker});
    });
  }
}

void introduce_workers(const operator_desk_actor& desk, const role_handles& all) {
  each<worker_id>(all.workers, [&](worker_id i, const worker_actor& worker) {
    meet(desk, i, sequenced_sink{worker});
  });
}

void begin(const role_handles& here) {
  const auto start = [](const auto& role) {
    if (role) caf::anon_send(role, atom::start_v);
  };
  start(here.executors);
  start(here.committer);
  start(here.coordinator);
  start(here.checkpointer);
  for (const auto& worker : here.workers) start(worker);
  start(here.aggregator);
  start(here.primary);
}

}  // namespace flamingo::validator
