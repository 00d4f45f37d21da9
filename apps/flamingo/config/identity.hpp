// Who a node or client is: its keys, checked against the committee file before anything starts.
#pragma once

#include <filesystem>
#include <memory>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/node_file.hpp"
#include "crypto/coin.hpp"
#include "crypto/signing.hpp"

namespace flamingo::config {

struct validator_identity {
  committee_file committee;
  std::filesystem::path committee_path;
  validator_id self;
  std::shared_ptr<crypto::ed25519_signer> signer;
  std::shared_ptr<crypto::threshold_coin> coin;
};

/// Reads what a validator's file names. Throws config::error where a key is not the committee's,
/// naming both values; crypto::file_error where a key file is unusable.
validator_identity identify(const node_file& from);

struct client_identity {
  std::shared_ptr<const committee_file> committee;
  std::filesystem::path committee_path;
  client_id self;
  std::shared_ptr<crypto::ed25519_signer> signer;
};
/// @param known what `load_committee` read from the file that `from` names, if that was done
/// before.
client_identity identify(const client_file& from,
                         std::shared_ptr<const committee_file> known = nullptr);

struct operator_identity {
  committee_file committee;
  std::filesystem::path committee_path;
};
operator_identity identify(const operator_file& from);

/// Refuses emulated links to peers that the committee has not: they would pretend to be nothing.
/// Throws config::error. @param source the file of `x`. @param committee that of `members`.
void check_emulated(const link_section& x, const std::string& source, const committee& members,
                    const std::filesystem::path& committee);

/// Checks certificate, key and authority of `keys`, which `source` names, for `name`. Throws
/// crypto::file_error.
void check_link_identity(const key_files& keys, const std::filesystem::path& source,
                         const std::string& name);

/// The same for what the processes of a validator show each other, if its file asks for TLS.
void check_internal_identity(const node_file& from);

/// What certificates call a validator, a client, the operator.
std::string certificate_name(validator_id x);
std::string certificate_name(client_id x);
inline const std::string operator_certificate_name = "operator";

}  // namespace flamingo::config
