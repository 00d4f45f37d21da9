// Reads a TOML file into the variables of a description.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

/// Sets what `into` describes from TOML text. Throws config::error, which names the file, line and
/// key, for a syntax error, an unknown key, a wrong type, a value out of its bounds, a required key
/// that is missing, or more text than such a file may hold.
/// @param name the file's name, for errors.
void read_toml(std::string_view text, const std::string& name, const section& into);

/// Every key that a description knows, each with the tables around it: "protocol.gc_depth".
std::vector<std::string> all_keys(const section& of);

/// The bytes of a configuration file, a regular one of at most 64 MiB. Throws config::error.
std::string read_bytes(const std::filesystem::path& file);

/// A path from a file: relative ones start at the file's directory; at the real file's, if a
/// symbolic link leads to it.
std::filesystem::path beside(const std::filesystem::path& file, const std::string& path);

}  // namespace flamingo::config
