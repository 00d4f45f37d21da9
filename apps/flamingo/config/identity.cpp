#include "apps/flamingo/config/identity.hpp"

#include <fmt/format.h>

#include "actors/link/peer.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "crypto/hex.hpp"
#include "crypto/tls_identity.hpp"

namespace flamingo::config {

namespace {

/// Refuses a private key whose public key is not the one that the committee file gives to `name`.
void must_match(const std::filesystem::path& key_path, const public_key& held,
                const std::filesystem::path& committee_path, const std::string& name,
                const public_key& expected) {
  if (held == expected) return;
  throw error(
      fmt::format("{}: is the private key of {}, but {} gives {} the key {}: use the key "
                  "that was made for {}, or the committee file that it belongs to",
                  key_path.string(), crypto::to_hex(held), committee_path.string(), name,
                  crypto::to_hex(expected), name));
}

template <class Find>
auto found(const std::string& source, const char* key, Find find) {
  try {
    return find();
  } catch (const error& e) {
    throw error(fmt::format("{}: {}: {}", source, key, e.what()));
  }
}

}  // namespace

validator_identity identify(const node_file& from) {
  const std::filesystem::path source(from.source);
  validator_identity x;
  x.committee_path = beside(source, from.committee);
  x.committee = load_committee(x.committee_path);
  const auto& members = x.committee.members;
  x.self =
      found(from.source, "validator", [&] { return validator_named(members, from.validator); });
  const auto& me = members.validators[x.self.value];
  if (!from.listen.workers.empty() && from.listen.workers.size() != me.workers.size())
    throw error(fmt::format("{}: listen.workers: expected none or {}, one for each worker of {}",
                            from.source, me.workers.size(), x.committee_path.string()));
  if (from.local.batch_bytes > x.committee.protocol.max_batch_bytes)
    throw error(
        fmt::format("{}: local.batch_bytes: expected at most protocol.max_batch_bytes of "
                    "{}, {}",
                    from.source, x.committee_path.string(), x.committee.protocol.max_batch_bytes));
  // A batch and what it is wrapped in.
  constexpr std::uint64_t wrapping = 64 << 10;
  const auto frame = x.committee.protocol.max_batch_bytes + wrapping;
  if (from.link.settings.max_frame_bytes < frame)
    throw error(
        fmt::format("{}: link.max_frame_bytes: expected at least {}: protocol."
                    "max_batch_bytes of {} and {} more",
                    from.source, frame, x.committee_path.string(), wrapping));
  const auto key_path = beside(source, from.keys.signing);
  x.signer = std::make_shared<crypto::ed25519_signer>(crypto::ed25519_signer::load(key_path));
  must_match(key_path, x.signer->key(), x.committee_path, me.name, me.key);

  const auto coin_path = beside(source, from.keys.coin);
  std::vector<curve_point> coin_keys;
  for (const auto& v : members.validators) coin_keys.push_back(v.coin_key);
  try {
    x.coin = std::make_shared<crypto::threshold_coin>(
        crypto::signing_context{members.chain, members.epoch}, members.faulty(), coin_keys, x.self,
        crypto::load_coin_secret(coin_path));
  } catch (const crypto::coin_error& e) {
    throw error(fmt::format("{} with the coin keys of {}: {}: use the share that was made for {}",
                            coin_path.string(), x.committee_path.string(), e.what(), me.name));
  }
  return x;
}

client_identity identify(const client_file& from) {
  const std::filesystem::path source(from.source);
  client_identity x;
  x.committee_path = beside(source, from.committee);
  x.committee = load_committee(x.committee_path);
  const auto& members = x.committee.members;
  x.self = found(from.source, "client", [&] { return client_named(members, from.client); });
  const auto& me = members.clients[x.self.value];
  const auto key_path = beside(source, from.keys.signing);
  x.signer = std::make_shared<crypto::ed25519_signer>(crypto::ed25519_signer::load(key_path));
  must_match(key_path, x.signer->key(), x.committee_path, me.name, me.key);
  return x;
}

void check_link_identity(const key_files& keys, const std::filesystem::path& source,
                         const std::string& name) {
  crypto::check_identity(
      beside(source, keys.authority),
      {beside(source, keys.certificate), beside(source, keys.certificate_key)}, name,
      std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

std::string certificate_name(validator_id x) {
  return link::to_string({link::peer::kind::validator, x.value});
}
std::string certificate_name(client_id x) {
  return link::to_string({link::peer::kind::client, x.value});
}

}  // namespace flamingo::config
