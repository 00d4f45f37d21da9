#include "actors/validator/operator_desk_actor.hpp"

#include <caf/all.hpp>

#include "messages/assert.hpp"
#include "messages/codec_validator.hpp"

namespace flamingo::operator_desk {

namespace {

// CAF 0.17.6 drops the priority of a request whose time-out is a duration of std::chrono.
const caf::duration patience{std::chrono::seconds(5)};

template <class Id, class Handle>
void watch(operator_desk_actor::stateful_pointer<state> self, watched_roles<Id>& roles, Id id,
           const Handle& handle) {
  auto& known = roles.known[id];
  if (known) self->demonitor(known);
  known = handle.address();
  roles.absent.erase(id);
  self->monitor(handle);
}

template <class Id>
void forget(operator_desk_actor::stateful_pointer<state> self, watched_roles<Id>& roles, Id id) {
  if (const auto found = roles.known.find(id); found != roles.known.end()) {
    self->demonitor(found->second);
    roles.known.erase(found);
  }
  roles.absent.erase(id);
}

template <class Id>
void note_end(watched_roles<Id>& roles, const caf::actor_addr& who) {
  for (const auto& [id, known] : roles.known)
    if (known == who) roles.absent.insert(id);
}

/// The committer's report, with what the primary knows and who is gone.
operator_frame completed(const state& s, const operator_frame& from_committer,
                         const evidence_frame& from_primary) {
  auto message = decode(from_committer);
  auto evidence = decode(from_primary);
  auto* report = message ? std::get_if<status_report>(&*message) : nullptr;
  FLAMINGO_ASSERT(report != nullptr && evidence);
  report->evidence = std::move(*evidence);
  report->absent_workers.assign(s.workers.absent.begin(), s.workers.absent.end());
  report->absent_executors.assign(s.executors.absent.begin(), s.executors.absent.end());
  return encode(*message);
}

/// The group answers when the change stands in the log, however long that takes. Anything else that
/// was asked gets no answer.
void answer_scaling(operator_desk_actor::stateful_pointer<state> self, const operator_link& link,
                    const operator_frame& question) {
  const auto message = decode(question);
  const auto* scale = message ? std::get_if<scale_request>(&*message) : nullptr;
  if (scale == nullptr || !self->state.group) return;
  self->request(self->state.group, caf::infinite, atom::scale_v, scale->change)
      .then(
          [self, link](const operator_frame& report) {
            self->send(link, atom::transmit_v, link_priority::sync, report);
          },
          [](const caf::error&) {});
}

/// Asks both roles at once: each may have much to do before its turn.
void answer_status(operator_desk_actor::stateful_pointer<state> self, const operator_link& link,
                   const committer_actor& committer, const primary_actor& primary) {
  struct parts {
    std::optional<operator_frame> report;
    std::optional<evidence_frame> evidence;
  };
  const auto known = std::make_shared<parts>();
  const auto answer = [self, link, known] {
    if (known->report && known->evidence)
      self->send(link, atom::transmit_v, link_priority::sync,
                 completed(self->state, *known->report, *known->evidence));
  };
  // The operator's command has a time-out of its own.
  const auto give_up = [](const caf::error&) {};
  self->request<caf::message_priority::high>(committer, patience, atom::status_v)
      .then(
          [known, answer](const operator_frame& report) {
            known->report = report;
            answer();
          },
          give_up);
  self->request<caf::message_priority::high>(primary, patience, atom::status_v)
      .then(
          [known, answer](const evidence_frame& evidence) {
            known->evidence = evidence;
            answer();
          },
          give_up);
}

}  // namespace

operator_desk_actor::behavior_type shell(operator_desk_actor::stateful_pointer<state> self,
                                         committer_actor committer, primary_actor primary) {
  self->set_down_handler([self](const caf::down_msg& gone) {
    note_end(self->state.workers, gone.source);
    note_end(self->state.executors, gone.source);
  });
  return {[=](const operator_link& link, const operator_frame& question) {
            bool status = false;
            question.read([&](schema::OperatorMessage::Reader r) { status = r.isStatus(); });
            if (status)
              answer_status(self, link, committer, primary);
            else
              answer_scaling(self, link, question);
          },
          [self](atom::meet, worker_id id, const sequenced_sink& worker) {
            watch(self, self->state.workers, id, worker);
          },
          [self](atom::meet, executor_id id, const stream_sink& executor) {
            watch(self, self->state.executors, id, executor);
          },
          [self](atom::leave, executor_id id) { forget(self, self->state.executors, id); },
          [self](atom::meet, const scale_sink& group) { self->state.group = group; }};
}

}  // namespace flamingo::operator_desk
