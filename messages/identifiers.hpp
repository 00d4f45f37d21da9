// The strong types that name things: validators, rounds, accounts. Plain values, no framework.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace flamingo {

/// An unsigned number that cannot be mixed up with another kind of number.
template <class Tag, class Rep>
struct identifier {
  using rep = Rep;
  Rep value = 0;

  constexpr identifier() = default;
  constexpr explicit identifier(Rep v) : value(v) {}
  friend constexpr auto operator<=>(identifier, identifier) = default;
};

/// An identifier that counts. Sums and differences saturate: a counter that a peer or a client
/// names may be any number, and "two rounds above it" must be above it, never a wrap.
template <class Tag>
struct counter : identifier<Tag, std::uint64_t> {
  using base = identifier<Tag, std::uint64_t>;
  using base::base;
  friend constexpr auto operator<=>(counter, counter) = default;
  friend constexpr counter operator+(counter a, std::uint64_t n) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return counter{a.value > most - n ? most : a.value + n};
  }
  /// "The floor of an early round" is 0.
  friend constexpr counter operator-(counter a, std::uint64_t n) {
    return counter{a.value > n ? a.value - n : 0};
  }
  constexpr counter& operator++() { return ++this->value, *this; }
};

using validator_id = identifier<struct validator_tag, std::uint16_t>;
using worker_id = identifier<struct worker_tag, std::uint16_t>;      // index within its validator
using executor_id = identifier<struct executor_tag, std::uint16_t>;  // index within its validator
using client_id = identifier<struct client_tag, std::uint32_t>;
using account_id = identifier<struct account_tag, std::uint64_t>;
using epoch_id = identifier<struct epoch_tag, std::uint64_t>;  // committee epoch

using round_number = counter<struct round_tag>;   // of the DAG; round 0 is genesis
using wave_number = counter<struct wave_tag>;     // of Tusk; wave w spans rounds 2w-1, 2w, 2w+1
using commit_index = counter<struct commit_tag>;  // of an anchor's sub-DAG; the first is 1
using bundle_sequence = counter<struct sequence_tag>;  // a client numbers its bundles from 1
using batch_sequence = counter<struct batch_tag>;      // a worker numbers its batches from 1
using table_version = counter<struct table_tag>;       // of the account-assignment table
using stream_position =
    counter<struct position_tag>;  // of a fresh transaction in the execution stream

}  // namespace flamingo

template <class Tag, class Rep>
struct std::hash<flamingo::identifier<Tag, Rep>> {
  std::size_t operator()(flamingo::identifier<Tag, Rep> x) const noexcept {
    return std::hash<Rep>{}(x.value);
  }
};
template <class Tag>
struct std::hash<flamingo::counter<Tag>> {
  std::size_t operator()(flamingo::counter<Tag> x) const noexcept {
    return std::hash<std::uint64_t>{}(x.value);
  }
};
