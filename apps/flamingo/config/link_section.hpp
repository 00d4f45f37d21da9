// [link] of a file: how links to peers run, and what they pretend to be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "actors/link/settings.hpp"
#include "apps/flamingo/config/schema.hpp"

namespace flamingo::config {

struct key_files;

/// Emulation of the links to one peer, instead of that of all links.
struct peer_emulation {
  std::string peer;  // "validator-3", "client-0"
  link::emulation emulate;
};

struct link_section {
  link::settings settings;
  std::vector<peer_emulation> emulate_to;
};

section describe(link_section& x);

/// Settings with the paths of `keys`, relative to `source`, the file. Throws config::error for a
/// setting out of its bounds or a peer's name that is none.
link::settings link_settings(const link_section& x, const key_files& keys,
                             const std::filesystem::path& source);

}  // namespace flamingo::config
