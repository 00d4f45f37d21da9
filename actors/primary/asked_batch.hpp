// A batch of which the primary asks the own worker whether it is durable here. Part of the
// primary's core: pure.
#pragma once

#include <optional>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::primary {

struct asked_batch {
  worker_id worker;
  digest id;
  std::optional<validator_id> author{};  // it is late: if it is not here, it is to be asked of it

  friend bool operator==(const asked_batch&, const asked_batch&) = default;
};

}  // namespace flamingo::primary
