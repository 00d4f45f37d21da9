#include "storage/store_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "storage/kv.hpp"

namespace flamingo::storage {

namespace {

constexpr const char* marker = "unsynced";

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::string boot_id() {
  return first_line("/proc/sys/kernel/random/boot_id");
}

}  // namespace

store_directory::store_directory(std::filesystem::path where) : path_(std::move(where)) {
  std::error_code failed;
  if (std::filesystem::create_directories(path_, failed) && !failed)
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all, failed);
  if (failed)
    throw error("store " + path_.string() + ": cannot make the directory (" + failed.message() +
                "): check the path and its owner");
  lock_ = ::open(file("in-use").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0)
    throw error("store " + path_.string() + ": cannot write in the directory (" +
                std::strerror(errno) + "): check its owner and mode");
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    throw error("store " + path_.string() + " is in use by process " + first_line(file("in-use")) +
                ": stop that process or choose another directory");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock_, 0) != 0 || ::pwrite(lock_, pid.data(), pid.size(), 0) < 0) {
    const std::string why = std::strerror(errno);
    ::close(lock_);
    throw error("store " + path_.string() + ": cannot write in the directory (" + why +
                "): free space on its file system");
  }
}

store_directory::~store_directory() {
  ::close(lock_);
}

bool store_directory::lost_at_reboot() const {
  const std::string marked = first_line(file(marker));
  return !marked.empty() && marked != boot_id();
}

void store_directory::mark_unsynced() const {
  const std::string id = boot_id() + "\n";
  const int fd = ::open(file(marker).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written = fd >= 0 &&
                       ::write(fd, id.data(), id.size()) == static_cast<ssize_t>(id.size()) &&
                       ::fsync(fd) == 0;
  const std::string why = std::strerror(errno);
  if (fd >= 0) ::close(fd);
  const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool named = directory >= 0 && ::fsync(directory) == 0;
  if (directory >= 0) ::close(directory);
  if (!written || !named)
    throw error("store " + path_.string() + ": cannot write " + marker + " (" + why +
                "): free space on its file system");
}

void store_directory::clear_unsynced() const {
  std::error_code
      ignored;  // A marker that stays costs a recovery after the next boot, nothing else.
  std::filesystem::remove(file(marker), ignored);
}

}  // namespace flamingo::storage
