// The CAF shell of the client: decode, step, perform; it builds and signs bundles and checks
// receipts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "actors/client/client.hpp"
#include "actors/interfaces.hpp"
#include "actors/runtime/timer.hpp"
#include "crypto/signing.hpp"

namespace flamingo::client {

/// How a client ended: a load, or a single transaction.
struct ending {
  summary counts;
  // -- of a single transaction
  bool committed = false;
  commit_index index;
  std::optional<result_code> code;  // absent only if an unknown code was agreed on
  std::string refusal;              // why validators would not take it; empty: no receipts in time
};

/// What a client's shell needs of the outside: injected, as for a validator's roles.
struct environment {
  client_id self;
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  settings with;
  std::shared_ptr<const crypto::signer> signer;            // the client's own key
  std::shared_ptr<const crypto::signature_scheme> scheme;  // checks the validators' receipts
  std::function<time_point()> now;
  /// Called once, on the actor's thread, when the load is over (or the single transaction done) and
  /// nothing is worth waiting for. May be empty.
  std::function<void(const ending&)> finished;
};
using environment_ptr = std::shared_ptr<const environment>;

struct state {
  static inline const char* name = "client";

  environment_ptr env;
  std::optional<core> logic;
  std::map<validator_id, client_link> links;
  runtime::timer ticks;
};

/// Begins with the first welcomes; atom::start only sets its patience going.
client_actor::behavior_type shell(client_actor::stateful_pointer<state> self, environment_ptr env);

summary_frame encode(const summary&);
std::optional<summary> decode(const summary_frame&);

}  // namespace flamingo::client
