#include "apps/flamingo/runtime/role_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/reader.hpp"

namespace flamingo::runtime {

namespace {

constexpr std::array role_names{"primary", "worker", "executor"};

bool has_store(const std::filesystem::path& directory) {
  std::error_code failed;
  const bool found = std::filesystem::exists(directory / "data.mdb", failed);
  if (failed)
    throw config::error(fmt::format("{}: cannot be looked at ({}): give it to who runs this",
                                    directory.string(), failed.message()));
  return found;
}

/// Refuses to open a new store while one of another placement is there.
void must_be_placed_as_before(const std::filesystem::path& data,
                              const std::filesystem::path& chosen) {
  if (has_store(chosen)) return;
  std::vector<std::filesystem::path> others;
  if (chosen == data)
    for (const auto* role : role_names) others.push_back(data / role);
  else
    others.push_back(data);
  for (const auto& other : others)
    if (has_store(other))
      throw config::error(fmt::format(
          "{}: holds this validator's store, made with other --roles: use the same ones again, "
          "since a new store would forget what the validator signed",
          other.string()));
}

}  // namespace

role_placement place_roles(const config::node_file& file, const std::vector<std::string>& roles) {
  const auto& x = file.internal;
  const std::array<const network_address*, 3> addresses{&x.primary, &x.worker, &x.executor};
  std::array<bool, 3> here{};
  for (std::size_t i = 0; i < here.size(); ++i)
    here[i] = std::find(roles.begin(), roles.end(), role_names[i]) != roles.end();

  role_placement out;
  out.here = {here[0], here[1], here[2]};
  const auto data = config::beside(file.source, file.data);
  out.data = data;
  if (here[0] && here[1] && here[2]) {
    must_be_placed_as_before(data, out.data);
    return out;
  }
  validator::internal_network network;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (addresses[i]->host.empty())
      throw config::error(fmt::format(
          "{}: internal.{}: missing: expected an address, since --roles leaves roles to other "
          "processes",
          file.source, role_names[i]));
    if (here[i] && network.listen.host.empty()) {
      network.listen = *addresses[i];
      out.data = data / role_names[i];
    }
  }
  if (network.listen.host.empty()) throw config::error("--roles: expected at least one role");
  for (std::size_t i = 0; i < here.size(); ++i) {
    const bool same = *addresses[i] == network.listen;
    if (here[i] != same)
      throw config::error(fmt::format(
          "{}: internal.{}: expected {} {}:{}: roles that share a process have the same address, "
          "and no others",
          file.source, role_names[i], here[i] ? "" : "another address than", network.listen.host,
          network.listen.port));
    auto& known = network.colleagues;
    if (!here[i] && std::find(known.begin(), known.end(), *addresses[i]) == known.end())
      known.push_back(*addresses[i]);
  }
  must_be_placed_as_before(data, out.data);
  out.network = std::move(network);
  return out;
}

}  // namespace flamingo::runtime
