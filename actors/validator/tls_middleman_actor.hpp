// CAF's remoting over mutual TLS, for the processes of one validator: it listens and connects as
// CAF's own middleman actor does, but through link/tls_socket.
//
// Not CAF's OpenSSL module: CAF 0.17.6 leaves the error of a connection that ended in its thread's
// queue (with OpenSSL 3 every end is one) and takes it for one of the next connection that it
// looks at, so that each stranger or restart ends a sound connection; and a stranger who connects
// and is silent keeps its thread busy for ever.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/io/middleman_actor.hpp>

#include <memory>

#include "actors/link/tls_engine.hpp"

namespace flamingo::validator {

/// Needs caf::io::middleman in `system`. Ends when it is killed (it takes no other exit).
caf::io::middleman_actor spawn_tls_middleman(caf::actor_system& system,
                                             std::shared_ptr<const link::tls_context> context);

}  // namespace flamingo::validator
