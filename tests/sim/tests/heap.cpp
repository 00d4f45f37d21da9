#include "tests/sim/tests/heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> blocks = 0, bytes = 0;

void count(void* at, std::int64_t sign) {
  blocks.fetch_add(sign, std::memory_order_relaxed);
  bytes.fetch_add(sign * static_cast<std::int64_t>(::malloc_usable_size(at)),
                  std::memory_order_relaxed);
}

void* take(std::size_t size) {
  void* at = std::malloc(size > 0 ? size : 1);
  if (at != nullptr) count(at, 1);
  return at;
}

void* good(void* at) {
  if (at == nullptr) throw std::bad_alloc();
  return at;
}

void release(void* at) {
  if (at == nullptr) return;
  count(at, -1);
  std::free(at);
}

}  // namespace

void* operator new(std::size_t size) {
  return good(take(size));
}
// The library's own form of this would not go with the `delete` below under a sanitizer.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* at = good(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
  count(at, 1);
  return at;
}
void operator delete(void* at) noexcept {
  release(at);
}
void operator delete(void* at, std::size_t) noexcept {
  release(at);
}
void operator delete(void* at, std::align_val_t) noexcept {
  release(at);
}
void operator delete(void* at, std::size_t, std::align_val_t) noexcept {
  release(at);
}

namespace flamingo::sim::test {

heap held() {
  return {blocks.load(), bytes.load()};
}

}  // namespace flamingo::sim::test
