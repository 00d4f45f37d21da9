// Where a test may end the process: around the writing thread's syncs, since whatever a crash can
// break depends on which of them was the last. The library's own definition does nothing; the
// program flamingo-with-faults brings another one (tests/system/fault_point.cpp).
#pragma once

#include <span>

#include "storage/kv.hpp"

namespace flamingo::storage {

enum class moment : std::uint8_t {
  before_sync,  // nothing of the group is durable, nobody was told
  after_sync,   // all of it is, and nobody was told
  after_news,   // and everybody was told
};

/// Called by the writing thread for each group that it writes.
void fault_point(moment when, std::span<const write_batch* const> group);

}  // namespace flamingo::storage
