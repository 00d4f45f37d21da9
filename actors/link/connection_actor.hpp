// The broker of one connection: a thin shell that carries bytes between CAF's socket and a session,
// and gives roles a typed handle. All brokers share CAF's middleman thread: nothing here waits.
#pragma once

#include <caf/io/broker.hpp>
#include <caf/io/typed_broker.hpp>

#include <atomic>

#include "actors/link/connector.hpp"
#include "actors/link/door.hpp"
#include "actors/link/doorway.hpp"
#include "actors/link/session.hpp"

namespace flamingo::link {

template <class Message>
using connection_actor = typename link_actor<Message>::template extend<
    caf::reacts_to<caf::io::new_data_msg>, caf::reacts_to<caf::io::data_transferred_msg>,
    caf::reacts_to<caf::io::connection_closed_msg>, caf::reacts_to<atom::tick>>;

/// What a connection is made for.
template <class Message>
struct connection_plan {
  std::shared_ptr<door> through;
  std::shared_ptr<const session_rules> rules;
  events<Message> to;
  roster::id number = 0;
  socket_handle socket;  // connected; the broker takes it
  std::string with;      // for the log: "from 10.0.0.7:4410", "to validator-2 at v2:4400"
  /// After the end, in the middleman's thread; says whether the link was up.
  std::function<void(bool was_up)> gone;
  std::atomic<ending> dismissed = ending::stopped;  // why, if somebody else ends it
};

/// Starts the broker. Any thread.
template <class Message>
void start_connection(caf::actor_system& system, std::shared_ptr<connection_plan<Message>> plan);

}  // namespace flamingo::link
