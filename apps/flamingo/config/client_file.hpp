// client.toml and operator.toml: who connects to a network from outside, and with which keys.
#pragma once

#include <filesystem>
#include <string>

#include "actors/client/settings.hpp"
#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::config {

struct client_file {
  std::string source;  // the file's own path
  std::string client;  // its name in the committee file
  std::string committee = "../committee.toml";
  key_files keys{.signing = "signing.key",
                 .coin = {},
                 .certificate = "client.pem",
                 .certificate_key = "client.key",
                 .authority = "../ca.pem"};
  network_address metrics{};  // empty host: none
  link_section link;
  client::settings load;  // what a file may set of it: how bundles are made and waited for
  log_settings log{.level = "warn", .format = log_settings::style::text};
  runtime_settings runtime;
};

/// Throws config::error.
client_file load_client(const std::filesystem::path& file);
client_file parse_client(const std::string& text, const std::string& name);
section describe(client_file& x);
std::string write_client(const client_file& x);
std::string document_client(const client_file& x);

struct operator_file {
  std::string source;
  std::string committee = "../committee.toml";
  key_files keys{.signing = {},
                 .coin = {},
                 .certificate = "operator.pem",
                 .certificate_key = "operator.key",
                 .authority = "../ca.pem"};
  link_section link;
};

/// Throws config::error.
operator_file load_operator(const std::filesystem::path& file);
operator_file parse_operator(const std::string& text, const std::string& name);
std::string write_operator(const operator_file& x);
std::string document_operator(const operator_file& x);

}  // namespace flamingo::config
