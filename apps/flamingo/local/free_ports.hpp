// Ports that nobody uses now.
#pragma once

#include <cstdint>
#include <vector>

namespace flamingo::local {

/// `count` different TCP ports of 127.0.0.1 that were free a moment ago. They lie below the range
/// from which the kernel takes ports for outgoing connections: one from that range could be taken
/// by a client's connection while a validator is down, and a dialler could connect to itself.
/// Throws std::runtime_error if there are not so many.
std::vector<std::uint16_t> free_ports(std::size_t count);

}  // namespace flamingo::local
