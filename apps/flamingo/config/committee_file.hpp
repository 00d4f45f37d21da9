// committee.toml: who takes part and the protocol parameters; equal at all validators and clients.
#pragma once

#include <filesystem>
#include <string>

#include "actors/protocol_parameters.hpp"
#include "apps/flamingo/config/error.hpp"
#include "messages/committee.hpp"

namespace flamingo::config {

struct committee_file {
  committee members;
  protocol_parameters protocol;
};

/// Reads a committee file: its SHA-256 is `members.file`, and of the genesis file also
/// `members.chain`. Throws config::error.
committee_file load_committee(const std::filesystem::path& file);

/// The same from text.
committee_file parse_committee(const std::string& text, const std::string& name);

/// A committee file as text. `members.chain` and `members.file` are not written for epoch 0: they
/// follow from the text.
std::string write_committee(const committee_file& x, bool documented = false);

/// The validator or client that is called `name`. Throws config::error, which lists the names.
validator_id validator_named(const committee& members, const std::string& name);
client_id client_named(const committee& members, const std::string& name);

}  // namespace flamingo::config
