// Who is at the other end of a link, and what is said over it (design: operations, "Network").
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flamingo::link {

/// Who is at the other end, as its certificate (or, on plain links, its hand-shake) names it.
struct peer {
  enum class kind : std::uint8_t { validator, client, operator_ };
  kind what = kind::validator;
  std::uint32_t index = 0;  // validator_id or client_id; 0 for an operator
  friend auto operator<=>(const peer&, const peer&) = default;
};
inline constexpr std::size_t peer_kinds = 3;

/// "validator-3", "client-2", "operator": the name in its certificate.
std::string to_string(const peer& x);
/// Empty unless `name` is exactly what `to_string` gives for some peer.
std::optional<peer> parse_peer(std::string_view name);

/// "validator", "client", "operator".
std::string_view to_string(peer::kind x);

/// Each conversation has links of its own.
enum class conversation : std::uint8_t { primaries, workers, clients, operators };
inline constexpr std::size_t conversations = 4;
std::string_view to_string(conversation x);

/// Which kind of peer takes part at the end that dials, and at the end that accepts.
peer::kind dialling_kind(conversation x);
inline constexpr peer::kind accepting_kind = peer::kind::validator;

}  // namespace flamingo::link
