#include "actors/errors.hpp"

#include "messages/execution.hpp"

namespace flamingo {

std::string_view to_string(reject x) {
  switch (x) {
    case reject::malformed:
      return "malformed";
    case reject::oversize:
      return "oversize";
    case reject::bad_signature:
      return "bad_signature";
    case reject::unknown_validator:
      return "unknown_validator";
    case reject::unknown_client:
      return "unknown_client";
    case reject::wrong_epoch:
      return "wrong_epoch";
    case reject::wrong_author:
      return "wrong_author";
    case reject::round_too_low:
      return "round_too_low";
    case reject::round_too_high:
      return "round_too_high";
    case reject::too_few_parents:
      return "too_few_parents";
    case reject::duplicate_parent:
      return "duplicate_parent";
    case reject::wrong_parent_round:
      return "wrong_parent_round";
    case reject::bad_weak_links:
      return "bad_weak_links";
    case reject::bad_payload:
      return "bad_payload";
    case reject::bad_coin_share:
      return "bad_coin_share";
    case reject::bad_control_record:
      return "bad_control_record";
    case reject::equivocation:
      return "equivocation";
    case reject::duplicate_vote:
      return "duplicate_vote";
    case reject::vote_for_unknown:
      return "vote_for_unknown";
    case reject::too_few_votes:
      return "too_few_votes";
    case reject::too_many_pending:
      return "too_many_pending";
    case reject::not_requested:
      return "not_requested";
    case reject::barred:
      return "barred";
    case reject::too_many_requests:
      return "too_many_requests";
    case reject::count_:
      break;
  }
  return "unknown";
}

bool is_in_vain(reject x) {
  switch (x) {
    case reject::malformed:
    case reject::oversize:
    case reject::bad_signature:
    case reject::unknown_validator:
    case reject::unknown_client:
    case reject::wrong_epoch:
    case reject::wrong_author:
    case reject::too_few_votes:
    case reject::bad_coin_share:
    case reject::too_many_requests:
      return true;
    default:  // also of what was late, or overtaken
      return false;
  }
}

std::string_view to_string(ec x) {
  switch (x) {
    case ec::store_failed:
      return "the store failed";
    case ec::address_in_use:
      return "an address is in use";
    case ec::bad_configuration:
      return "the configuration is wrong";
    case ec::link_failed:
      return "a link failed";
  }
  return "unknown";
}

std::string_view to_string(result_code x) {
  switch (x) {
    case result_code::applied:
      return "applied";
    case result_code::insufficient:
      return "insufficient";
    case result_code::invalid_operation:
      return "invalid: unknown operation";
    case result_code::invalid_account:
      return "invalid: unknown account";
    case result_code::invalid_same:
      return "invalid: the same account twice";
    case result_code::invalid_amount:
      return "invalid: amount";
    case result_code::system:
      return "system";
    case result_code::expired:
      return "expired";
    case result_code::overdrawn:
      return "applied: overdrawn, with a penalty";
    case result_code::conflict:
      return "conflict with the state";
  }
  return "unknown";
}

}  // namespace flamingo
