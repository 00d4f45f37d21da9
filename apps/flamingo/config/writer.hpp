// Writes the variables of a description as TOML that the reader reads back.
#pragma once

#include <string>

#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

/// Every key with its value, each with its meaning and bounds as a comment: a documented sample.
/// @param heading the first lines, without comment signs.
std::string write_documented(const section& from, const std::string& heading);

/// Every key with its value, without comments but the heading.
std::string write_plain(const section& from, const std::string& heading);

/// Only keys that are required or whose value differs from that in `defaults`, a description of the
/// same shape.
std::string write_changed(const section& from, const section& defaults, const std::string& heading);

}  // namespace flamingo::config
