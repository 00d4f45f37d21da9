#include "apps/flamingo/status/status_reader.hpp"

#include <caf/send.hpp>

#include <algorithm>

#include "messages/codec_validator.hpp"

namespace flamingo::status {

namespace {

void put_question(const operator_link& to) {
  caf::anon_send(to, atom::transmit_v, link_priority::sync,
                 encode(operator_message{status_query{}}));
}

}  // namespace

status_reader::status_reader(link::doorway<schema::OperatorMessage>& doors,
                             const committee& members)
    : answers_(members.size()), refusals_(members.size()) {
  for (std::size_t i = 0; i < members.size(); ++i)
    doors.dial({link::peer::kind::validator, static_cast<std::uint32_t>(i)},
               members.validators[i].operators, events());
}

link::events<schema::OperatorMessage> status_reader::events() {
  return {[this](link::peer who, const operator_link& handle) { came_up(who.index, handle); },
          [this](link::peer who, const operator_link&, const operator_frame& frame) {
            arrived(who.index, frame);
          },
          [this](link::peer who, const operator_link&) { went_down(who.index); },
          {},
          [this](link::peer who, const link::ended& how) {
            {
              const std::lock_guard lock(mutex_);
              refusals_.note(who, how);
            }
            changed_.notify_all();
          }};
}

void status_reader::came_up(std::size_t validator, const operator_link& handle) {
  refusals_.forget({link::peer::kind::validator, static_cast<std::uint32_t>(validator)});
  const std::lock_guard lock(mutex_);
  links_[validator] = handle;
  if (asking_) put_question(handle);
}

void status_reader::went_down(std::size_t validator) {
  const std::lock_guard lock(mutex_);
  links_.erase(validator);
}

void status_reader::arrived(std::size_t validator, const operator_frame& frame) {
  auto message = decode(frame);
  auto* report = message ? std::get_if<status_report>(&*message) : nullptr;
  // Who speaks is who the link is with; a report for another is no answer.
  if (report == nullptr || report->validator.value != validator) return;
  {
    const std::lock_guard lock(mutex_);
    if (!asking_ || validator >= answers_.size()) return;
    answers_[validator] = std::move(*report);
  }
  changed_.notify_all();
}

bool status_reader::all_answered(bool only_linked) const {
  for (std::size_t i = 0; i < answers_.size(); ++i)
    if (!answers_[i] && (links_.contains(i) || (!only_linked && !refusals_.lasting(i))))
      return false;
  return true;
}

answers status_reader::ask(std::chrono::milliseconds timeout,
                           std::chrono::milliseconds dial_timeout) {
  std::unique_lock lock(mutex_);
  answers_.assign(answers_.size(), std::nullopt);
  asking_ = true;
  for (const auto& [validator, handle] : links_) put_question(handle);
  const auto start = std::chrono::steady_clock::now();
  changed_.wait_until(lock, start + std::min(timeout, dial_timeout),
                      [&] { return all_answered(false); });
  changed_.wait_until(lock, start + timeout, [&] { return all_answered(true); });
  asking_ = false;
  return answers_;
}

}  // namespace flamingo::status
