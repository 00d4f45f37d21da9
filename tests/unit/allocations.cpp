#include "tests/unit/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t count = 0, bytes = 0;

void* allocate(std::size_t size) {
  ++count;
  bytes += size;
  if (void* at = std::malloc(size > 0 ? size : 1)) return at;
  throw std::bad_alloc();
}

void* allocate(std::size_t size, std::align_val_t alignment) {
  ++count;
  bytes += size;
  const auto unit = static_cast<std::size_t>(alignment);
  if (void* at = std::aligned_alloc(unit, (size + unit - 1) / unit * unit)) return at;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, alignment);
}
// The library's own form of this would not go with the `delete` below under a sanitizer.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  bytes += size;
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* at) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t) noexcept {
  std::free(at);
}
void operator delete(void* at, std::align_val_t) noexcept {
  std::free(at);
}
void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
  std::free(at);
}

namespace flamingo::tests {

std::uint64_t allocations() {
  return count;
}

std::uint64_t allocated_bytes() {
  return bytes;
}

}  // namespace flamingo::tests
