#include "actors/link/peer.hpp"

#include <charconv>

namespace flamingo::link {

std::string_view to_string(peer::kind x) {
  switch (x) {
    case peer::kind::validator:
      return "validator";
    case peer::kind::client:
      return "client";
    case peer::kind::operator_:
      return "operator";
  }
  return "unknown";
}

std::string to_string(const peer& x) {
  std::string name(to_string(x.what));
  if (x.what != peer::kind::operator_) name += '-' + std::to_string(x.index);
  return name;
}

std::optional<peer> parse_peer(std::string_view name) {
  if (name == "operator") return peer{peer::kind::operator_, 0};
  for (const auto kind : {peer::kind::validator, peer::kind::client}) {
    const auto prefix = to_string(kind);
    if (!name.starts_with(prefix)) continue;
    const auto digits = name.substr(prefix.size());
    peer out{kind, 0};
    if (digits.size() < 2 || digits[0] != '-') return std::nullopt;
    const auto* last = digits.data() + digits.size();
    const auto result = std::from_chars(digits.data() + 1, last, out.index);
    // One name for each peer: no leading zeros.
    if (result.ec != std::errc{} || result.ptr != last || to_string(out) != name)
      return std::nullopt;
    return out;
  }
  return std::nullopt;
}

std::string_view to_string(conversation x) {
  switch (x) {
    case conversation::primaries:
      return "primary";
    case conversation::workers:
      return "worker";
    case conversation::clients:
      return "client";
    case conversation::operators:
      return "operator";
  }
  return "unknown";
}

peer::kind dialling_kind(conversation x) {
  switch (x) {
    case conversation::clients:
      return peer::kind::client;
    case conversation::operators:
      return peer::kind::operator_;
    default:
      return peer::kind::validator;
  }
}

}  // namespace flamingo::link
