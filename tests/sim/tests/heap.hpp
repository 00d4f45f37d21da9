// What this test program holds on its heap: whatever grows shows here, whether a role counts it or
// not.
#pragma once

#include <cstdint>

namespace flamingo::sim::test {

/// Blocks that operator new gave and that were not given back, and their bytes.
struct heap {
  std::int64_t blocks = 0, bytes = 0;
};
heap held();

}  // namespace flamingo::sim::test
