// FLAMINGO_ASSERT: a condition that only a bug of ours can break. On in every build; what a peer, a
// client or an operator can cause is never asserted.
#pragma once

#include <cstdio>
#include <cstdlib>

#define FLAMINGO_ASSERT(condition)                                                            \
  do {                                                                                        \
    if (!(condition)) [[unlikely]] {                                                          \
      std::fprintf(stderr, "flamingo: %s:%d: %s: invariant broken: %s\n", __FILE__, __LINE__, \
                   __func__, #condition);                                                     \
      std::abort();                                                                           \
    }                                                                                         \
  } while (false)
