// Files that hold a secret: written once with mode 0600, and refused when others could read them.
#pragma once

#include <array>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "messages/digest.hpp"

namespace flamingo::crypto {

/// What is wrong with a file of the operator's: one line that names the file, what was expected,
/// and what to do. Thrown at start and by `init` only, never because of a peer.
class file_error : public std::runtime_error {
public:
  file_error(const std::filesystem::path& file, const std::string& complaint)
      : std::runtime_error(file.string() + ": " + complaint) {}
};

/// Creates `file` with mode 0600 (0644 with `write_new_file`) and makes its bytes durable.
/// Throws file_error; an existing file is never touched.
void write_secret_file(const std::filesystem::path& file, std::string_view content);
void write_new_file(const std::filesystem::path& file, std::string_view content);

/// The content of a file that only its owner can read. Throws file_error if it is missing,
/// unreadable, no regular file, open to group or others, or longer than `size_max`.
std::string read_secret_file(const std::filesystem::path& file, std::size_t size_max);

/// The same without a look at the mode, for certificates.
std::string read_file(const std::filesystem::path& file, std::size_t size_max);

/// A secret of 32 bytes as one line of 64 hexadecimal digits. `what` names it in complaints
/// ("signing key").
void write_hex_secret(const std::filesystem::path& file, const std::array<byte, 32>& secret);
std::array<byte, 32> read_hex_secret(const std::filesystem::path& file, std::string_view what);

}  // namespace flamingo::crypto
