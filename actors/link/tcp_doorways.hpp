// The real doorways: TCP, mutual TLS 1.3, CAF's brokers.
#pragma once

#include "actors/link/doorway.hpp"
#include "actors/link/settings.hpp"
#include "messages/digest.hpp"

namespace flamingo::runtime {
class metrics;
}

namespace flamingo::link {

/// Who this node is to its peers, and which network it belongs to.
struct identity {
  peer self;
  digest chain;                  // SHA-256 of the genesis committee file
  digest committee;              // SHA-256 of the committee file in force
  std::uint32_t validators = 0;  // in the committee: peers beyond do not exist
  std::uint32_t clients = 0;

  static identity of(const flamingo::committee& members, peer self) {
    return {self, members.chain, members.file, static_cast<std::uint32_t>(members.size()),
            static_cast<std::uint32_t>(members.clients.size())};
  }
};

/// Makes a node's doorways. `system` must have loaded CAF's middleman and outlive them; call `stop`
/// on each before it ends (their destructors do). Throws std::runtime_error with one line that
/// names the setting or the file: a setting out of its bounds, a key that is not the certificate's,
/// a certificate that does not name `who`, or of another authority.
doorways make_doorways(caf::actor_system& system, const settings& s, const identity& who,
                       runtime::metrics& into);

}  // namespace flamingo::link
