// The order in which frames leave a link.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flamingo {

/// Which frame leaves first when a link's queue holds several.
enum class link_priority : std::uint8_t { consensus, batches, sync };
inline constexpr std::size_t link_priorities = 3;

}  // namespace flamingo
