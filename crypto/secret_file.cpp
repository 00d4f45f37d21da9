#include "crypto/secret_file.hpp"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "crypto/hex.hpp"

namespace flamingo::crypto {

namespace {

using std::filesystem::path;

std::string reason(int error) {
  return std::system_category().message(error);
}

struct descriptor {
  int fd;
  ~descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

// Empty when all went well, otherwise the reason.
std::string write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const auto n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return reason(errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(fd) == 0 ? "" : reason(errno);
}

void write_with_mode(const path& file, std::string_view content, mode_t mode) {
  const descriptor out{::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
  if (out.fd < 0 && errno == EEXIST)
    throw file_error(file, "exists already and is never overwritten: choose another folder");
  if (out.fd < 0) throw file_error(file, "cannot be created: " + reason(errno));
  // The umask may have taken bits away, never added any.
  auto failure = ::fchmod(out.fd, mode) == 0 ? write_all(out.fd, content) : reason(errno);
  if (failure.empty()) return;
  ::unlink(file.c_str());
  throw file_error(file, "cannot be written: " + failure);
}

std::string read_bounded(const path& file, std::size_t size_max, bool secret) {
  const descriptor in{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat about {};
  if (in.fd < 0 || ::fstat(in.fd, &about) != 0)
    throw file_error(file, "cannot be read: " + reason(errno));
  if (!S_ISREG(about.st_mode)) throw file_error(file, "is not a regular file");
  if (secret && (about.st_mode & 077) != 0) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(about.st_mode & 07777));
    throw file_error(file, std::string("holds a secret but has mode ") + mode +
                               ", expected 0600: run chmod 600 on it");
  }
  if (static_cast<std::uintmax_t>(about.st_size) > size_max)
    throw file_error(file, "is " + std::to_string(about.st_size) +
                               " bytes long, expected at most " + std::to_string(size_max));
  std::string content(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t got = 0;
  while (got < content.size()) {
    const auto n = ::read(in.fd, content.data() + got, content.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_error(file, "cannot be read: " + reason(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  content.resize(got);
  return content;
}

}  // namespace

void write_secret_file(const path& file, std::string_view content) {
  write_with_mode(file, content, 0600);
}

void write_new_file(const path& file, std::string_view content) {
  write_with_mode(file, content, 0644);
}

std::string read_secret_file(const path& file, std::size_t size_max) {
  return read_bounded(file, size_max, true);
}

std::string read_file(const path& file, std::size_t size_max) {
  return read_bounded(file, size_max, false);
}

void write_hex_secret(const path& file, const std::array<byte, 32>& secret) {
  auto text = to_hex(secret) + "\n";
  write_secret_file(file, text);
  OPENSSL_cleanse(text.data(), text.size());
}

std::array<byte, 32> read_hex_secret(const path& file, std::string_view what) {
  auto text = read_secret_file(file, 4096);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const auto secret = from_hex<32>(text);
  OPENSSL_cleanse(text.data(), text.size());
  if (!secret)
    throw file_error(file, "is not a " + std::string(what) +
                               ": expected one line of 64 hexadecimal digits, found " +
                               std::to_string(text.size()) + " bytes");
  return *secret;
}

}  // namespace flamingo::crypto
