// node.toml: what one validator's process needs beside the committee file. Nothing here changes a
// vote, an order or a state.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "actors/local_parameters.hpp"
#include "apps/flamingo/config/error.hpp"
#include "apps/flamingo/config/internal_section.hpp"
#include "apps/flamingo/config/link_section.hpp"
#include "apps/flamingo/config/schema.hpp"
#include "messages/committee.hpp"
#include "storage/lmdb_kv.hpp"

namespace flamingo::config {

/// Files, as written in the file that names them; `beside` resolves them.
struct key_files {
  std::string signing, coin;                 // ours, mode 0600
  std::string certificate, certificate_key;  // ours, for links
  std::string authority;                     // the network's
};

struct log_settings {
  enum class style : std::uint8_t { text, json };
  std::string level = "info";
  style format = style::text;
};

struct runtime_settings {
  std::uint32_t threads = 1;  // of the scheduler, beside the network's own thread; 1..64
};

/// Where to listen if not where the committee file says. An empty host: as there.
struct listen_settings {
  network_address primary, operators;
  std::vector<worker_info> workers;
};

struct node_file {
  std::string source;     // the file's own path
  std::string validator;  // its name in the committee file
  std::string committee = "../committee.toml";
  std::string data = "data";
  key_files keys{.signing = "signing.key",
                 .coin = "coin.key",
                 .certificate = "validator.pem",
                 .certificate_key = "validator.key",
                 .authority = "../ca.pem"};
  listen_settings listen;
  network_address metrics{};  // empty host: none
  storage::lmdb_options store;
  link_section link;
  internal_section internal;
  log_settings log;
  runtime_settings runtime;
  local_parameters local;
};

/// Throws config::error.
node_file load_node(const std::filesystem::path& file);
node_file parse_node(const std::string& text, const std::string& name);

/// Required keys and those that differ from their defaults.
std::string write_node(const node_file& x);
/// Every key, with its meaning: configs/node.toml.
std::string document_node(const node_file& x);

/// [keys] of a file. An operator signs nothing, and only validators have a share of the coin.
enum class key_user : std::uint8_t { validator, client, operator_ };
section describe(key_files& x, key_user whose);
section describe(log_settings& x);
section describe(runtime_settings& x);

}  // namespace flamingo::config
