// A file that is mapped and then cut short, or whose device fails, answers a read with SIGBUS, not
// with an error. This turns that into one line for the operator and exit code 1.
#pragma once

#include <filesystem>
#include <string>

namespace flamingo::storage {

/// While one lives, a SIGBUS in this process's mapping of its file writes one line to stderr and
/// ends the process at once: nothing that was said to be durable depends on an orderly end. Other
/// SIGBUS go on as without it. For at most 16 files at a time; further ones are not guarded.
class map_guard {
public:
  /// @param file is mapped already. @param line without a line feed; at most 500 bytes count.
  map_guard(const std::filesystem::path& file, const std::string& line);
  ~map_guard();
  map_guard(const map_guard&) = delete;
  map_guard& operator=(const map_guard&) = delete;

private:
  int slot_ = -1;
};

}  // namespace flamingo::storage
