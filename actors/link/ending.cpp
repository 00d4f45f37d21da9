#include "actors/link/ending.hpp"

namespace flamingo::link {

std::string_view to_string(ending x) {
  switch (x) {
    case ending::bad_tls:
      return "bad_tls";
    case ending::handshake_timeout:
      return "handshake_timeout";
    case ending::malformed:
      return "malformed";
    case ending::wrong_version:
      return "wrong_version";
    case ending::wrong_chain:
      return "wrong_chain";
    case ending::wrong_committee:
      return "wrong_committee";
    case ending::wrong_conversation:
      return "wrong_conversation";
    case ending::wrong_worker:
      return "wrong_worker";
    case ending::wrong_name:
      return "wrong_name";
    case ending::unknown_peer:
      return "unknown_peer";
    case ending::unexpected_peer:
      return "unexpected_peer";
    case ending::crowded_out:
      return "crowded_out";
    case ending::hung_up:
      return "hung_up";
    case ending::cut:
      return "cut";
    case ending::peer_closed:
      return "peer_closed";
    case ending::closed:
      return "closed";
    case ending::silent:
      return "silent";
    case ending::stalled:
      return "stalled";
    case ending::oversize:
      return "oversize";
    case ending::broken_tls:
      return "broken_tls";
    case ending::replaced:
      return "replaced";
    case ending::cut_off:
      return "cut_off";
    case ending::stopped:
      return "stopped";
    case ending::count_:
      break;
  }
  return "unknown";
}

}  // namespace flamingo::link
