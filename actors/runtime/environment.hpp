// What a role's shell needs of the outside: injected, so that the same shells run for real and in
// the simulator. Shared by all roles of one validator within a process.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/errors.hpp"
#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/time.hpp"

namespace flamingo::crypto {
class signer;
class signature_scheme;
class coin;
}  // namespace flamingo::crypto

namespace flamingo::storage {
class kv;
}

namespace flamingo::runtime {

class metrics;

struct environment {
  validator_id self;
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  local_parameters local;

  std::shared_ptr<storage::kv> store;
  std::shared_ptr<const crypto::signer> signer;            // our own key
  std::shared_ptr<const crypto::signature_scheme> scheme;  // checks others' signatures
  std::shared_ptr<const crypto::coin> coin;
  std::shared_ptr<runtime::metrics> metrics;

  /// The validator's clock: nanoseconds since the Unix epoch, monotonic within a process.
  std::function<time_point()> now;

  /// The environment failed: called once by the role that noticed; the validator stops and says
  /// why.
  std::function<void(ec, const std::string& what)> fail;

  /// This validator is further behind than the others' history: its roles are to be stopped, a
  /// checkpoint is to be fetched (actors/joiner), and they start again. May be called repeatedly.
  std::function<void()> rejoin;
};

using environment_ptr = std::shared_ptr<const environment>;

}  // namespace flamingo::runtime
