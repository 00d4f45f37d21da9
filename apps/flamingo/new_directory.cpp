#include "apps/flamingo/new_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "apps/flamingo/config/error.hpp"

namespace flamingo {

namespace {

namespace fs = std::filesystem;

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

void must_be_free(const fs::path& named, const fs::path& target) {
  std::error_code failed;
  const auto status = fs::symlink_status(target, failed);
  if (status.type() == fs::file_type::not_found) return;
  if (failed) fail(named, fmt::format("cannot be looked at ({})", failed.message()));
  const bool directory = fs::is_directory(status);
  if (!directory || !fs::is_empty(target, failed) || failed)
    fail(named, fmt::format("{}: choose another, or remove it (keys in it cannot be made again)",
                            failed      ? fmt::format("cannot be read ({})", failed.message())
                            : directory ? "exists and is not empty"
                                        : "exists and is no directory"));
  if (target == fs::current_path(failed))
    fail(named, "is the directory that this runs in: name a new one in it");
  struct stat own {
  }, parents{};
  const bool known =
      ::stat(target.c_str(), &own) == 0 && ::stat(target.parent_path().c_str(), &parents) == 0;
  if (known && own.st_dev != parents.st_dev) fail(named, "is a mount point: name a new one in it");
}

void sync(const fs::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = fd >= 0 && ::fsync(fd) == 0;
  const int code = errno;
  if (fd >= 0) ::close(fd);
  if (!good) fail(directory, fmt::format("cannot be made durable ({})", reason(code)));
}

}  // namespace

new_directory::new_directory(const fs::path& target) : target_(resolved(target)) {
  must_be_free(target, target_);
  const auto parent = target_.parent_path();
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
  if (::rename(path_.c_str(), target_.c_str()) != 0)
    fail(target_, fmt::format("cannot be put in place ({}): choose another", reason(errno)));
  in_place_ = true;
  sync(target_.parent_path());
}

}  // namespace flamingo
