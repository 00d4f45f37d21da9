#include "storage/fault_point.hpp"

namespace flamingo::storage {

void fault_point(moment, std::span<const write_batch* const>) {}

}  // namespace flamingo::storage
