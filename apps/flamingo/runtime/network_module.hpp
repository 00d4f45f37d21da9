// CAF's middleman, with a thread that takes over at once what other threads have for it.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/detail/type_list.hpp>

namespace flamingo::runtime {

/// In place of caf::io::middleman: `load<network_module>()`.
///
/// CAF 0.17.6 takes over one actor or task from other threads for each look at the sockets. Under
/// load such a look takes long, and a hundred links have a hundred of them: what was to be sent,
/// and new connections, waited for seconds. And its pipe holds 8,192 of them: beyond that CAF's
/// clock waits for the network's thread, which may wait for the clock, for ever.
class network_module : public caf::actor_system::module {
public:
  static module* make(caf::actor_system& system, caf::detail::type_list<>);
};

}  // namespace flamingo::runtime
