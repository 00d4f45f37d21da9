// A directory that comes to be whole or not at all: it is made beside its target, filled, synced,
// and renamed into place. One that is there and empty gets what was made within it, the committee
// file last. What a killed process leaves is called .NAME.new-* and may be removed.
#pragma once

#include <filesystem>

namespace flamingo {

class new_directory {
public:
  /// Makes an empty one, for its owner only. The target must not exist or be an empty directory.
  /// Throws config::error, which names it and says what to do.
  explicit new_directory(const std::filesystem::path& target);
  /// Removes it and all that is in it, unless it is in place.
  ~new_directory();
  new_directory(const new_directory&) = delete;
  new_directory& operator=(const new_directory&) = delete;

  /// Where it is filled. Files must be synced by who writes them.
  const std::filesystem::path& path() const { return path_; }

  /// Syncs the directories and renames it to its target. Throws config::error.
  void put_in_place();

private:
  void move_into_target();

  std::filesystem::path target_;
  bool was_there_;
  std::filesystem::path path_;
  bool in_place_ = false;
};

}  // namespace flamingo
