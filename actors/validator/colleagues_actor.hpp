// Finds the roles of this validator that run in other processes, over CAF's remoting, and notices
// when such a process goes and comes back. Only for a validator that is spread over several
// processes or hosts.
#pragma once

#include <caf/event_based_actor.hpp>
#include <caf/io/middleman_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "actors/interfaces.hpp"
#include "actors/link/tls_engine.hpp"
#include "messages/committee.hpp"

namespace flamingo::validator {

/// Where the processes of one validator meet: a private network, or TLS.
struct internal_network {
  network_address listen;                        // where this process answers the others
  std::vector<network_address> colleagues;       // the other processes of this validator
  std::shared_ptr<const link::tls_context> tls;  // absent: plain
};

namespace colleagues {

/// All roles are known (again): introduce those of this process to them.
using complete_callback = std::function<void(const role_handles& all)>;

struct state {
  static inline const char* name = "colleagues";
  role_handles here;
  caf::io::middleman_actor remoting;
  std::vector<network_address> addresses;
  std::vector<role_handles> there;  // by address; empty until its process answered
  std::size_t expected_workers = 0;
  complete_callback on_complete;
};

/// A plain actor: it talks to CAF's middleman actor, or the one for TLS, not to roles.
caf::behavior shell(caf::stateful_actor<state>* self, caf::io::middleman_actor remoting,
                    role_handles here, std::vector<network_address> addresses,
                    std::size_t expected_workers, complete_callback on_complete);

}  // namespace colleagues

namespace directory {
struct state {
  static inline const char* name = "directory";
};
directory_actor::behavior_type shell(directory_actor::stateful_pointer<state> self,
                                     role_handles here);
}  // namespace directory

}  // namespace flamingo::validator
