// Counts calls of operator new in this test program: proofs that a path allocates nothing for a
// transaction (design: the hot path).
#pragma once

#include <cstdint>

namespace flamingo::tests {

/// Calls of operator new so far, on this thread.
std::uint64_t allocations();

/// What they asked for, bytes.
std::uint64_t allocated_bytes();

/// Calls of operator new while `f` runs.
template <class F>
std::uint64_t allocations_of(F&& f) {
  const auto before = allocations();
  f();
  return allocations() - before;
}

}  // namespace flamingo::tests
