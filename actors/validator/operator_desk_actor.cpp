#include "actors/validator/operator_desk_actor.hpp"

#include <caf/all.hpp>

namespace flamingo::operator_desk {

operator_desk_actor::behavior_type shell(operator_desk_actor::stateful_pointer<state> self,
                                         committer_actor committer) {
  return {[self, committer](const operator_link& link, const operator_frame& question) {
    bool status = false;
    question.read([&](schema::OperatorMessage::Reader r) { status = r.isStatus(); });
    if (!status) return;  // the only question there is; anything else gets no answer
    self->request(committer, std::chrono::seconds(5), atom::status_v)
        .then(
            [self, link](const operator_frame& report) {
              self->send(link, atom::transmit_v, link_priority::sync, report);
            },
            [](const caf::error&) {});  // the operator's command has its own time-out
  }};
}

}  // namespace flamingo::operator_desk
