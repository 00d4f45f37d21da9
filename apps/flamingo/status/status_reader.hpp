// Asks every validator of a network how it is, over the operators' links.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "actors/link/doorway.hpp"
#include "apps/flamingo/runtime/refusal_book.hpp"
#include "messages/committee.hpp"
#include "messages/validator.hpp"

namespace flamingo::status {

/// What each validator said last, by validator_id; nothing from one that did not answer.
using answers = std::vector<std::optional<status_report>>;

class status_reader {
public:
  /// Dials all validators of `members`. Stop the doorway before this object ends.
  status_reader(link::doorway<schema::OperatorMessage>& doors, const committee& members);

  /// Asks all and waits until all answered, at most until `timeout`; for those without a link only
  /// until `dial_timeout`. One thread at a time.
  answers ask(std::chrono::milliseconds timeout, std::chrono::milliseconds dial_timeout);

  /// Why links did not come up.
  const runtime::refusal_book& refusals() const { return refusals_; }

private:
  link::events<schema::OperatorMessage> events();
  void came_up(std::size_t validator, const operator_link& handle);
  void arrived(std::size_t validator, const operator_frame& frame);
  void went_down(std::size_t validator);
  bool all_answered(bool only_linked) const;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::size_t, operator_link> links_;  // that are up, by validator
  answers answers_;                             // to the present question
  runtime::refusal_book refusals_;
  bool asking_ = false;
};

}  // namespace flamingo::status
