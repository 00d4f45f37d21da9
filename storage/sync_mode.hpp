// The two promises of a store on a disk.
#pragma once

#include <cstdint>

namespace flamingo::storage {

/// When a group of writes counts as durable.
enum class sync_mode : std::uint8_t {
  group,  // one sync for each group; survives power loss
  os,     // no sync; survives the end of the process, not of the machine
};

}  // namespace flamingo::storage
