// The hand-shake of a link: what each end says first, and whether the other end believes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "actors/link/ending.hpp"
#include "actors/link/peer.hpp"
#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo::link {

/// Of everything that crosses links. Both ends must have the same.
inline constexpr std::uint32_t protocol_version = 1;

struct hello {
  std::uint32_t version = protocol_version;
  digest chain;      // of the genesis committee file
  digest committee;  // of the committee file in force
  conversation about = conversation::primaries;
  worker_id worker;
  peer from;
  friend bool operator==(const hello&, const hello&) = default;
};

/// The largest hello that is read, bytes.
inline constexpr std::uint32_t max_hello_bytes = 1024;

std::vector<char> encode(const hello& x);
/// Empty if `bytes` are not a hello. Never throws for what they hold.
std::optional<hello> decode_hello(const std::vector<char>& bytes);

/// Whom this end lets in.
struct admission {
  peer::kind kind = peer::kind::validator;    // that has business in this conversation at that end
  std::uint32_t validators = 0, clients = 0;  // in the committee: higher indices do not exist
  std::optional<peer> dialled;                // whom we dialled; empty where we accept
};

/// Compares what the other end said with what this end says.
/// @param certified the name in its certificate; empty on a plain link.
/// @returns why there is no link; empty if there is one.
std::optional<ended> refusal(const hello& theirs, const hello& ours, const admission& rule,
                             const std::optional<std::string>& certified);

}  // namespace flamingo::link
