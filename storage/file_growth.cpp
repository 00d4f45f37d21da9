#include "storage/file_growth.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "storage/kv.hpp"

namespace flamingo::storage {

file_growth::file_growth(const std::filesystem::path& file, std::uint64_t ahead_bytes,
                         std::uint64_t limit_bytes)
    : fd_(::open(file.c_str(), O_WRONLY | O_CLOEXEC)), ahead_(ahead_bytes), limit_(limit_bytes) {
  struct stat now {};
  if (fd_ < 0 || ::fstat(fd_, &now) != 0) {
    const std::string why = std::strerror(errno);
    if (fd_ >= 0) ::close(fd_);
    throw error("store " + file.string() + ": cannot open (" + why + "): check its owner and mode");
  }
  size_ = static_cast<std::uint64_t>(now.st_size);
}

file_growth::~file_growth() {
  ::close(fd_);
}

std::uint64_t file_growth::goal(std::uint64_t used_bytes) const {
  return ahead_ == 0 ? 0 : std::min(used_bytes + ahead_, limit_);
}

bool file_growth::wanted(std::uint64_t used_bytes) const {
  return size_ < goal(used_bytes);
}

void file_growth::advance(std::uint64_t used_bytes, std::uint64_t step_bytes) {
  static const std::vector<char> zeros(1 << 20);
  // LMDB may have passed the zeros: never write below what it uses.
  size_ = std::max(size_, used_bytes);
  const std::uint64_t end = std::min(goal(used_bytes), size_ + step_bytes);
  while (size_ < end) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(zeros.size(), end - size_));
    const ssize_t written = ::pwrite(fd_, zeros.data(), count, static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      ahead_ = 0;
      return;
    }
    size_ += static_cast<std::uint64_t>(written);
  }
  ::fdatasync(fd_);  // An error shows at the store's own sync, which nobody ignores.
}

}  // namespace flamingo::storage
