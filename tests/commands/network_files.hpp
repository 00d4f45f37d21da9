// A small network on disk for the tests of what makes, checks and reads one.
#pragma once

#include "apps/flamingo/network_plan.hpp"
#include "tests/commands/command_run.hpp"
#include "tests/commands/temporary_directory.hpp"

namespace flamingo::testing {

inline network_plan small(const std::filesystem::path& directory) {
  network_plan plan;
  plan.directory = directory;
  plan.protocol.accounts = 1001;
  return plan;
}

/// Replaces a part of a file by another.
inline void edit(const std::filesystem::path& file, const std::string& what,
                 const std::string& by) {
  overwrite(file, replaced(content_of(file), what, by));
}

}  // namespace flamingo::testing
