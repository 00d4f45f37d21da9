#include "actors/validator/operator_desk_actor.hpp"

#include <caf/all.hpp>

#include "messages/assert.hpp"
#include "messages/codec_validator.hpp"

namespace flamingo::operator_desk {

namespace {

constexpr std::chrono::seconds patience{5};

/// The committer's report, with what the primary knows.
operator_frame completed(const operator_frame& from_committer, const evidence_frame& from_primary) {
  auto message = decode(from_committer);
  auto evidence = decode(from_primary);
  auto* report = message ? std::get_if<status_report>(&*message) : nullptr;
  FLAMINGO_ASSERT(report != nullptr && evidence);
  report->evidence = std::move(*evidence);
  return encode(*message);
}

}  // namespace

operator_desk_actor::behavior_type shell(operator_desk_actor::stateful_pointer<state> self,
                                         committer_actor committer, primary_actor primary) {
  // The operator's command has a time-out of its own.
  const auto give_up = [](const caf::error&) {};
  return {[=](const operator_link& link, const operator_frame& question) {
    bool status = false;
    question.read([&](schema::OperatorMessage::Reader r) { status = r.isStatus(); });
    if (!status) return;  // the only question there is; anything else gets no answer
    self->request(primary, patience, atom::status_v)
        .then(
            [=](const evidence_frame& evidence) {
              self->request(committer, patience, atom::status_v)
                  .then(
                      [=](const operator_frame& report) {
                        self->send(link, atom::transmit_v, link_priority::sync,
                                   completed(report, evidence));
                      },
                      give_up);
            },
            give_up);
  }};
}

}  // namespace flamingo::operator_desk
