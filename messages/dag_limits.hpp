// What a decoder of the DAG's conversation must know to bound every list before it allocates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flamingo {

/// From the committee and the protocol parameters (actors/dag/limits.hpp); nothing in it is local.
struct dag_limits {
  std::size_t validators = 0;             // in the committee
  std::uint32_t max_header_bytes = 0;     // of a header's body
  std::uint32_t max_payload_entries = 0;  // batches in a header
  std::uint32_t max_control_records = 0;  // in a header
};

/// Headers that one request may ask for.
inline constexpr std::size_t max_requested_headers = 64;

/// Rounds of a range that are served at once: one may ask for fewer, and gets no more.
inline constexpr std::uint64_t max_requested_rounds = 100;

}  // namespace flamingo
