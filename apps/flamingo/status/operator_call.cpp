#include "apps/flamingo/status/operator_call.hpp"

#include <caf/send.hpp>

#include "messages/codec_validator.hpp"

namespace flamingo::status {

operator_call::operator_call(link::doorway<schema::OperatorMessage>& doors,
                             const committee& members, validator_id whom, operator_message question)
    : whom_(whom), question_(std::move(question)), refusals_(members.size()) {
  doors.dial({link::peer::kind::validator, whom.value}, members.validators[whom.value].operators,
             events());
}

link::events<schema::OperatorMessage> operator_call::events() {
  return {[this](link::peer, const operator_link& link) {
            const std::lock_guard lock(mutex_);
            if (std::exchange(asked_, true)) return;
            caf::anon_send(link, atom::transmit_v, link_priority::sync, encode(question_));
          },
          [this](link::peer, const operator_link&, const operator_frame& frame) {
            const auto message = decode(frame);
            const auto* report = message ? std::get_if<executors_report>(&*message) : nullptr;
            if (report == nullptr || report->validator != whom_) return;
            {
              const std::lock_guard lock(mutex_);
              answer_ = *report;
            }
            changed_.notify_all();
          },
          [](link::peer, const operator_link&) {},
          {},
          [this](link::peer who, const link::ended& how) {
            {
              const std::lock_guard lock(mutex_);
              refusals_.note(who, how);
            }
            changed_.notify_all();
          }};
}

operator_call::end operator_call::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, timeout, [&] {
    return answer_.has_value() || (!asked_ && refusals_.lasting(whom_.value));
  });
  if (answer_) return end::answered;
  if (asked_) return end::silent;
  return refusals_.line_of(whom_.value) ? end::refused : end::unreachable;
}

std::string operator_call::refusal() const {
  return refusals_.line_of(whom_.value).value_or("");
}

}  // namespace flamingo::status
