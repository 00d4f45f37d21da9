// Grows a file ahead of need. While LMDB extends data.mdb itself, each sync also waits for the file
// system to allocate, and the slowest acknowledgements take seconds; written zeros ahead of it cure
// that (unwritten space from posix_fallocate does not).
#pragma once

#include <cstdint>
#include <filesystem>

namespace flamingo::storage {

/// For the thread that writes the file, between its transactions.
class file_growth {
public:
  /// Keeps `ahead_bytes` of written zeros beyond what is used, in a file of at most `limit_bytes`.
  /// With `ahead_bytes` = 0 it does nothing. @throws error if the file cannot be opened.
  file_growth(const std::filesystem::path& file, std::uint64_t ahead_bytes,
              std::uint64_t limit_bytes);
  ~file_growth();
  file_growth(const file_growth&) = delete;
  file_growth& operator=(const file_growth&) = delete;

  /// Whether fewer than `ahead_bytes` lie beyond `used_bytes`.
  bool wanted(std::uint64_t used_bytes) const;
  /// Writes up to `step_bytes` of zeros past the file's end, as far as wanted, and syncs them. A
  /// full disk ends the growing for good: the store's own writes will say so.
  void advance(std::uint64_t used_bytes, std::uint64_t step_bytes);

  std::uint64_t file_bytes() const { return size_; }

private:
  std::uint64_t goal(std::uint64_t used_bytes) const;

  int fd_ = -1;
  std::uint64_t ahead_;
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
};

}  // namespace flamingo::storage
