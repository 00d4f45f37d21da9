// Which roles of a validator a process runs, and where it finds the others.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "actors/validator/validator.hpp"
#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::runtime {

struct role_placement {
  validator::role_set here;
  /// Nothing if all roles run here. Without TLS, even if the file asks for it.
  std::optional<validator::internal_network> network;
  /// The store of this process: one that runs all roles has the directory itself, another one a
  /// directory in it with the name of its first role.
  std::filesystem::path data;
};

/// @param roles some of "primary", "worker", "executor".
/// Throws config::error if an address that is needed is missing, or if the store shows that the
/// roles were placed otherwise before: another store would forget what this validator signed.
role_placement place_roles(const config::node_file& file, const std::vector<std::string>& roles);

}  // namespace flamingo::runtime
