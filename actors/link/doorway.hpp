// How a validator or client gets its links: a doorway for each conversation, real (mutual TLS over
// CAF's brokers) or simulated. A role's shell never knows which (design: operations, "Network").
#pragma once

#include <functional>
#include <memory>

#include "actors/interfaces.hpp"
#include "actors/link/emulation_switch.hpp"
#include "actors/link/ending.hpp"
#include "actors/link/peer.hpp"
#include "messages/committee.hpp"

namespace flamingo::link {

/// What a link tells its role. Called from the link's own thread: hand on with anon_send, never
/// block.
template <class Message>
struct events {
  /// The hand-shake is over; frames may be sent to `handle`.
  std::function<void(peer, link_actor<Message> handle)> up;
  /// A frame arrived over `handle` (one peer may have several links at a time: a load client and a
  /// single payment, two operators). It is within the size cap; its content is not checked.
  std::function<void(peer, const link_actor<Message>& handle, wire<Message>)> frame;
  /// The link is gone. A dialled one comes back by itself with another `up`.
  std::function<void(peer, link_actor<Message> handle)> down;
  /// Which worker of ours has this link; the other end must mean the same index. 0 where workers
  /// take no part.
  worker_id worker{};
  /// A dialled link was refused before it was up, by this end or the other; it is dialled again.
  /// Roles need not know: for who wonders why nothing comes up.
  std::function<void(peer, const ended&)> refused{};
};

/// One conversation's way to the network.
template <class Message>
class doorway {
public:
  virtual ~doorway() = default;

  /// Accepts links at `where` (port 0: any free one).
  /// @returns the port. Throws std::runtime_error with one line that names the address if it
  /// cannot.
  virtual std::uint16_t listen(const network_address& where, events<Message> to) = 0;

  /// Keeps one link to `whom` at `where`: dials, and dials again with exponential back-off and
  /// jitter.
  virtual void dial(peer whom, const network_address& where, events<Message> to) = 0;

  /// Closes everything. No event is delivered after it returns.
  virtual void stop() = 0;
};

/// All conversations of a node. A role that a process does not run leaves its doorway unused.
struct doorways {
  std::shared_ptr<doorway<schema::PeerMessage>> primaries;
  std::shared_ptr<doorway<schema::WorkerMessage>> workers;
  std::shared_ptr<doorway<schema::ClientMessage>> clients;
  std::shared_ptr<doorway<schema::OperatorMessage>> operators;
  std::shared_ptr<emulation_switch> emulation;  // of real ones
};

}  // namespace flamingo::link
