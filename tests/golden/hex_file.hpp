// Files of hexadecimal digits, 64 a line, that a person can compare line by line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "messages/digest.hpp"

namespace flamingo::golden {

/// Nothing if there is no such file or it is not what `write_hex` writes.
std::optional<std::vector<char>> read_hex(const std::filesystem::path&);
void write_hex(const std::filesystem::path&, byte_span);

/// Where two byte strings differ first, for a message; empty if they are equal.
std::string difference(byte_span frozen, byte_span now);

/// FLAMINGO_WRITE_GOLDEN is set to something but 0: the files are to be written, not compared.
bool writing();

/// tests/golden in the source tree.
std::filesystem::path folder();

}  // namespace flamingo::golden
