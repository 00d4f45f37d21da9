// A store's directory: made if missing, held by one process at a time, and able to tell whether the
// machine went down while its files were not synced.
#pragma once

#include <filesystem>
#include <string>

namespace flamingo::storage {

class store_directory {
public:
  /// Makes the directory (mode 0700) and locks it until destruction.
  /// @throws error if it cannot be made or another process holds it.
  explicit store_directory(std::filesystem::path where);
  ~store_directory();
  store_directory(const store_directory&) = delete;
  store_directory& operator=(const store_directory&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const char* file_name) const { return path_ / file_name; }

  /// Whether a process wrote here without syncing (mark_unsynced), did not end cleanly, and the
  /// machine has booted since. What the store says then may be anything.
  bool lost_at_reboot() const;

  /// From here on the files are not synced: leaves this boot's id, durably.
  void mark_unsynced() const;
  /// The files are synced.
  void clear_unsynced() const;

private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace flamingo::storage
