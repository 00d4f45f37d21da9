// The recipes of scenarios: how likely each kind of fault and of attack is.
#pragma once

#include <initializer_list>
#include <string>

#include "tests/sim/byzantine/kinds.hpp"

namespace flamingo::sim {

constexpr unsigned kinds_of(std::initializer_list<byzantine_kind> all) {
  unsigned set = 0;
  for (const auto x : all) set |= 1u << static_cast<unsigned>(x);
  return set;
}
/// But `lax`, which needs clients that go far ahead.
constexpr unsigned any_kind = ((1u << byzantine_kinds) - 1) & ~kinds_of({byzantine_kind::lax});

/// How likely each kind of fault is, per mille of the runs.
struct recipe {
  const char* name;
  const char* about;
  unsigned crashes = 0, blackout = 0, partitions = 0, lossy = 0, slow = 0;
  unsigned byzantine = 0, kinds = any_kind;
  unsigned skewed_clocks = 250, small_values = 250;
  unsigned gaps = 0, lost_disk = 0, left_behind = 0, patient = 0, orphans = 0;
  unsigned snapshots = 0;
  unsigned scaling = 250;   // executors come, go and crash
  unsigned validators = 0;  // 0: 4 to 7
  bool one_dies = false;    // for good, and one less is Byzantine
};

/// @throws std::invalid_argument with one line if there is no recipe of that name.
const recipe& find_recipe(const std::string& name);

}  // namespace flamingo::sim
