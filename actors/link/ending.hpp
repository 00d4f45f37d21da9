// Why a link did not come to be, or ended: one word for metrics, one line for the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flamingo::link {

enum class ending : std::uint8_t {
  // -- refused: it never came to be
  bad_tls,             // no TLS 1.3, or a certificate that the authority did not issue
  handshake_timeout,   // silence, or a trickle
  malformed,           // the first frame is no hello
  wrong_version,       // of the protocol
  wrong_chain,         // of another network
  wrong_committee,     // of another committee file
  wrong_conversation,  // a primary at a client's door, and the like
  wrong_worker,        // of another index
  wrong_name,          // it is not whom the certificate names
  unknown_peer,        // not in the committee, or of a kind that has no business here
  unexpected_peer,     // not whom we dialled
  crowded_out,         // too many strangers: the oldest makes room
  hung_up,             // it left before the end of the hand-shake
  cut,                 // emulation has cut it off
  // -- closed: it was up
  peer_closed,  // the other end closed it, or the network did
  closed,       // this end did
  silent,       // nothing came for idle_timeout
  stalled,      // the peer took nothing for idle_timeout
  oversize,     // a frame beyond max_frame_bytes
  broken_tls,   // bytes that are not what the other end's TLS sent
  replaced,     // too many links from one peer: the oldest makes room
  cut_off,      // by emulation
  stopped,      // the doorway was stopped
  count_,
};
inline constexpr std::size_t endings = static_cast<std::size_t>(ending::count_);

std::string_view to_string(ending x);
/// True for those that are no link's end, since none came to be.
inline bool is_refusal(ending x) {
  return x < ending::peer_closed;
}

/// `line` names both values where two differ, and the limit and its setting where one was reached.
struct ended {
  ending why;
  std::string line;
};

}  // namespace flamingo::link
