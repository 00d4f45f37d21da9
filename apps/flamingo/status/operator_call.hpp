// One question of an operator to one validator, and its answer.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "actors/link/doorway.hpp"
#include "apps/flamingo/runtime/refusal_book.hpp"
#include "messages/committee.hpp"
#include "messages/validator.hpp"

namespace flamingo::status {

class operator_call {
public:
  /// Dials the validator and asks once it is there: once only, since the question may change
  /// something. Stop the doorway before this object ends.
  operator_call(link::doorway<schema::OperatorMessage>& doors, const committee& members,
                validator_id whom, operator_message question);

  enum class end : std::uint8_t { answered, refused, silent, unreachable };
  /// Waits for the answer. `silent`: it has the question; `unreachable`: perhaps it never got it.
  end wait(std::chrono::milliseconds timeout);

  const std::optional<executors_report>& answer() const { return answer_; }
  /// Why it refuses the link.
  std::string refusal() const;

private:
  link::events<schema::OperatorMessage> events();

  validator_id whom_;
  operator_message question_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<executors_report> answer_;
  runtime::refusal_book refusals_;
  bool asked_ = false;
};

}  // namespace flamingo::status
