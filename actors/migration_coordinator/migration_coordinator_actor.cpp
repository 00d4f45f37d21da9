#include "actors/migration_coordinator/migration_coordinator_actor.hpp"

#include <caf/all.hpp>

#include "actors/runtime/neighbours.hpp"
#include "messages/codec_client.hpp"
#include "messages/codec_migration.hpp"

namespace flamingo::migration_coordinator {

namespace {

using pointer = coordinator_actor::stateful_pointer<state>;

void make_series(state& s) {
  auto& into = *s.env->metrics;
  s.version = &into.gauge("flamingo_migration_coordinator_table_version",
                          "Version of the account-assignment table");
  constexpr std::array kinds{"migration_decision", "migration_acceptance", "capacity_declaration",
                             "checkpoint", "halt"};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    s.records[i] =
        &into.counter("flamingo_migration_coordinator_records_total",
                      "Control records committed, the first of each author, kind and subject",
                      {{"kind", kinds[i]}});
  s.repeated = &into.counter("flamingo_migration_coordinator_repeated_records_total",
                             "Control records committed that an earlier header carried already");
  s.rejected.emplace(into, "migration_coordinator");
}

void perform(pointer self, const effects& x) {
  auto& s = self->state;
  if (x.assignment) {
    const auto frame = encode(*x.assignment);
    for (const auto& [id, worker] : s.workers) self->send(worker, frame);
    s.version->Set(static_cast<double>(x.assignment->version.value));
  }
  for (const control_record& record : x.counted) s.records[record.index()]->Increment();
  s.repeated->Increment(static_cast<double>(x.repeated));
  for (const reject why : x.rejected) s.rejected->count(why);
}

}  // namespace

coordinator_actor::behavior_type shell(pointer self, runtime::environment_ptr env) {
  auto& s = self->state;
  s.env = std::move(env);
  make_series(s);
  s.logic.emplace(parameters::of(s.env->protocol), *s.env->members);
  return {[self](atom::meet, const record_sink& x) { runtime::meet(self->state.primaries, x); },
          [self](atom::meet, worker_id id, const assignment_sink& x) {
            self->state.workers[id] = x;
            // It restarted: it knows nothing of the table. Who knows it already ignores it.
            if (self->state.is_started) perform(self, self->state.logic->step(started{}));
          },
          [self](atom::start) {
            self->state.is_started = true;
            perform(self, self->state.logic->step(started{}));
          },
          [self](const committed_control_frame& frame) {
            auto control = decode(frame);
            if (!control) return self->state.rejected->count(reject::malformed);
            perform(self, self->state.logic->step(std::move(*control)));
          }};
}

}  // namespace flamingo::migration_coordinator
