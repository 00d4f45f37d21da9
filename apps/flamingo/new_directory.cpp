#include "apps/flamingo/new_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include "apps/flamingo/config/error.hpp"

namespace flamingo {

namespace {

namespace fs = std::filesystem;

/// Of a network: all of its files are read by way of this one.
constexpr auto last_entry = "committee.toml";

[[noreturn]] void fail(const fs::path& which, const std::string& what) {
  throw config::error(fmt::format("{}: {}", which.string(), what));
}

std::string reason(int code) {
  return std::system_category().message(code);
}

/// The path without what is not its own: symbolic links, "." and a slash at the end.
fs::path resolved(const fs::path& target) {
  std::error_code failed;
  auto path = fs::weakly_canonical(fs::absolute(target, failed), failed);
  if (failed) fail(target, fmt::format("cannot be found ({})", failed.message()));
  return path.has_filename() ? path : path.parent_path();
}

/// @returns whether there is one, which is empty.
bool is_there(const fs::path& named, const fs::path& target) {
  std::error_code failed;
  const auto status = fs::symlink_status(target, failed);
  if (status.type() == fs::file_type::not_found) return false;
  if (failed) fail(named, fmt::format("cannot be looked at ({})", failed.message()));
  const bool directory = fs::is_directory(status);
  if (!directory || !fs::is_empty(target, failed) || failed)
    fail(named, fmt::format("{}: choose another, or remove it (keys in it cannot be made again)",
                            failed      ? fmt::format("cannot be read ({})", failed.message())
                            : directory ? "exists and is not empty"
                                        : "exists and is no directory"));
  return true;
}

void move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    fail(to, fmt::format("cannot be put in place ({}): choose another", reason(errno)));
}

void sync(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = fd >= 0 && ::fsync(fd) == 0;
  const int code = errno;
  if (fd >= 0) ::close(fd);
  if (!good) fail(directory, fmt::format("cannot be made durable ({})", reason(code)));
}

}  // namespace

new_directory::new_directory(const fs::path& target)
    : target_(resolved(target)), was_there_(is_there(target, target_)) {
  const auto parent = was_there_ ? target_ : target_.parent_path();
  std::error_code failed;
  fs::create_directories(parent, failed);
  if (failed)
    fail(target, fmt::format("cannot be made, since {} cannot ({}): choose another, or make that",
                             parent.string(), failed.message()));
  auto name = (parent / fmt::format(".{}.new-XXXXXX", target_.filename().string())).string();
  if (::mkdtemp(name.data()) == nullptr)
    fail(target, fmt::format("cannot be made, since nothing can be in {} ({}): choose another",
                             parent.string(), reason(errno)));
  path_ = name;
}

new_directory::~new_directory() {
  std::error_code ignored;
  if (!in_place_) fs::remove_all(path_, ignored);
}

void new_directory::put_in_place() {
  std::error_code failed;
  for (auto at = fs::recursive_directory_iterator(path_, failed);
       !failed && at != fs::recursive_directory_iterator(); at.increment(failed))
    if (at->is_directory(failed)) sync(at->path());
  if (failed) fail(path_, fmt::format("cannot be read ({})", failed.message()));
  sync(path_);
  if (was_there_)
    move_into_target();
  else
    move(path_, target_);
  in_place_ = true;
  try {
    sync(was_there_ ? target_ : target_.parent_path());
  } catch (const config::error& e) {
    fail(target_, fmt::format("is in place, but may not survive a loss of power: {}", e.what()));
  }
}

/// Its owner, mode and file system stay. What the others need is moved last, so that nobody takes a
/// part for the whole.
void new_directory::move_into_target() {
  std::vector<fs::path> entries;
  for (const auto& x : fs::directory_iterator(path_)) entries.push_back(x.path().filename());
  std::sort(entries.begin(), entries.end(), [](const fs::path& a, const fs::path& b) {
    return std::pair(a == last_entry, a) < std::pair(b == last_entry, b);
  });
  for (const auto& x : entries) move(path_ / x, target_ / x);
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace flamingo
