// The fault points of flamingo-with-faults. FLAMINGO_CRASH=MOMENT:TABLE:N kills the process (-9) at
// that moment of the N-th group of writes that changes the table: before_sync:votes:5.
#include "storage/fault_point.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace flamingo::storage {

namespace {

struct crash {
  moment when{};
  std::string table;
  unsigned long left = 0;  // groups until it; 0: never
};

[[noreturn]] void misused(const std::string& text) {
  std::fprintf(stderr, "flamingo-with-faults: FLAMINGO_CRASH: expected MOMENT:TABLE:N, found %s\n",
               text.c_str());
  std::_Exit(2);
}

crash wanted() {
  const char* given = std::getenv("FLAMINGO_CRASH");
  if (given == nullptr) return {};
  const std::string text = given;
  const auto first = text.find(':'), second = text.find(':', first + 1);
  if (first == text.npos || second == text.npos) misused(text);
  crash out;
  const auto when = text.substr(0, first);
  if (when == "before_sync")
    out.when = moment::before_sync;
  else if (when == "after_sync")
    out.when = moment::after_sync;
  else if (when == "after_news")
    out.when = moment::after_news;
  else
    misused(text);
  out.table = text.substr(first + 1, second - first - 1);
  out.left = std::strtoul(text.c_str() + second + 1, nullptr, 10);
  bool known = false;
  for (std::size_t i = 0; i < table_count; ++i) known |= out.table == name(static_cast<table>(i));
  if (!known || out.left == 0) misused(text);
  return out;
}

bool changes(const write_batch& writes, const std::string& which) {
  return std::any_of(writes.operations().begin(), writes.operations().end(),
                     [&](const auto& x) { return name(x.where) == which; });
}

}  // namespace

void fault_point(moment when, std::span<const write_batch* const> group) {
  static crash next = wanted();  // the writing thread's
  if (next.left == 0 || when != next.when) return;
  if (std::none_of(group.begin(), group.end(), [](auto* x) { return changes(*x, next.table); }))
    return;
  if (--next.left == 0) ::kill(::getpid(), SIGKILL);
}

}  // namespace flamingo::storage
