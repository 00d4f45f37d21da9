// A new network on disk: keys, certificates, coin shares, the committee file, and a configuration
// for each validator, each client, and the operator. `init` and `local` make networks with it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"

namespace flamingo {

struct network_plan {
  enum class preset : std::uint8_t {
    standard,  // mutual TLS on all links, groups of writes synced
    bare,      // plain links, sync left to the operating system: for comparison only
  };

  std::filesystem::path directory;  // must not exist, or be empty
  std::size_t validators = 4, clients = 4;
  preset settings = preset::standard;
  std::string log_level = "info";
  protocol_parameters protocol;
  local_parameters local;
  std::uint64_t store_bytes_max = 0;    // 0: the default
  std::uint64_t preallocate_bytes = 0;  // 0: the default

  /// Advertised hosts, validator i taking the one at i modulo their number.
  std::vector<std::string> hosts{"127.0.0.1"};
  /// The host that doors listen at, if not the advertised one ("0.0.0.0" in a container).
  std::string listen_host;
  /// Ports: those in the list, one after another; or consecutive ones from `base_port`.
  std::vector<std::uint16_t> ports;
  std::uint16_t base_port = 7000;

  /// Ports that one validator uses: for primaries, operators, metrics, and two for each worker.
  std::size_t ports_each() const { return 3 + 2 * std::size_t{protocol.workers}; }

  static std::string validator_name(std::size_t i);
  /// Which validator serves client i's accounts at the start.
  std::size_t assignee_of(std::size_t client) const { return client % validators; }
};

/// The files of a network.
struct network_layout {
  std::filesystem::path directory;

  std::filesystem::path committee() const { return directory / "committee.toml"; }
  std::filesystem::path node(std::size_t i) const;
  std::filesystem::path client(std::size_t i) const;
  std::filesystem::path operator_() const { return directory / "operator" / "operator.toml"; }
};

/// What in a plan cannot be made, by the option that says it; nothing if all can.
std::optional<std::string> contradiction(const network_plan& plan);

/// Makes the network: all of it or, if this fails or is interrupted, nothing. An existing file is
/// never overwritten. Throws config::error or crypto::file_error, one line.
/// @param stopped is asked now and then, and ends it.
network_layout make_network(const network_plan& plan, const std::function<bool()>& stopped = {});

}  // namespace flamingo
