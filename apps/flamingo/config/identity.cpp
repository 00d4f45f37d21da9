#include "apps/flamingo/config/identity.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "actors/link/peer.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "crypto/hex.hpp"
#include "crypto/tls_identity.hpp"
#include "messages/client.hpp"

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

// -- what is larger than a bound that it must pass never arrives, without an error anywhere

struct largest_message {
  std::string what;
  std::uint64_t bytes;
};

/// @param source the file of the links. @param committee the file that says what they carry.
void must_fit(const link::settings& x, const largest_message& largest, const std::string& source,
              const std::filesystem::path& committee) {
  constexpr std::uint64_t wrapping = 64 << 10;
  const auto frame = largest.bytes + wrapping;
  const auto fail = [&](const char* key) {
    throw error(fmt::format("{}: link.{}: expected at least {}: {} of {} and {} more", source, key,
                            frame, largest.what, committee.string(), wrapping));
  };
  if (x.max_frame_bytes < frame) fail("max_frame_bytes");
  if (x.queue_bytes < frame) fail("queue_bytes");
}

largest_message largest_to_client(const protocol_parameters& x) {
  if (x.max_bundle_bytes > max_receipts_bytes)
    return {"protocol.max_bundle_bytes", x.max_bundle_bytes};
  return {"the receipts", max_receipts_bytes};
}

largest_message largest_to_validator(const committee_file& x) {
  const largest_message all[] = {
      largest_to_client(x.protocol),
      {"protocol.max_batch_bytes", x.protocol.max_batch_bytes},
      {"protocol.max_header_bytes with a certificate",
       x.protocol.max_header_bytes + x.members.size() * (signature::size + 1)},
  };
  return *std::max_element(std::begin(all), std::end(all),
                           [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
}

void check_sizes(const node_file& from, const validator_identity& x) {
  const auto& protocol = x.committee.protocol;
  const auto fail = [&](const char* key, const char* expected, std::uint64_t limit) {
    throw error(fmt::format("{}: local.{}: expected {} of {}, {}", from.source, key, expected,
                            x.committee_path.string(), limit));
  };
  if (from.local.batch_bytes > protocol.max_batch_bytes)
    fail("batch_bytes", "at most protocol.max_batch_bytes", protocol.max_batch_bytes);
  if (from.local.client_window_bytes < protocol.max_bundle_bytes)
    fail("client_window_bytes", "at least protocol.max_bundle_bytes", protocol.max_bundle_bytes);
  if (from.local.ingress_bytes < protocol.max_bundle_bytes)
    fail("ingress_bytes", "at least protocol.max_bundle_bytes", protocol.max_bundle_bytes);
  must_fit(from.link.settings, largest_to_validator(x.committee), from.source, x.committee_path);
}

/// Who joins fetches the state as a checkpoint has it, and then what was committed since. If that
/// is gone when the state is there, it begins again with a newer checkpoint, for ever.
void check_history(const node_file& from, const validator_identity& x) {
  constexpr std::uint64_t state_bytes = 32;  // an account's
  const std::uint64_t rate = from.local.checkpoint_bytes_per_second;
  const std::uint64_t needed = (2 * x.committee.protocol.accounts * state_bytes + rate - 1) / rate;
  if (from.local.history_retention >= std::chrono::seconds(needed)) return;
  throw error(
      fmt::format("{}: local.history_retention_s: expected at least {}: twice what a validator "
                  "that joins needs to fetch {} accounts at local.checkpoint_bytes_per_second",
                  from.source, needed, x.committee.protocol.accounts));
}

void check_load(const client_file& from, const client_identity& x) {
  const auto most = x.committee->protocol.max_transactions_per_bundle;
  if (from.load.transactions_per_bundle > most)
    throw error(
        fmt::format("{}: load.transactions_per_bundle: expected at most "
                    "protocol.max_transactions_per_bundle of {}, {}",
                    from.source, x.committee_path.string(), most));
}

}  // namespace

void check_emulated(const link_section& x, const std::string& source, const committee& members,
                    const std::filesystem::path& committee) {
  for (std::size_t i = 0; i < x.emulate_to.size(); ++i) {
    const auto peer = link::parse_peer(x.emulate_to[i].peer);
    if (!peer || peer->what == link::peer::kind::operator_) continue;
    const bool validator = peer->what == link::peer::kind::validator;
    const auto count = validator ? members.size() : members.clients.size();
    if (peer->index < count) continue;
    const auto kind = link::to_string(peer->what);
    const auto known = count == 0   ? fmt::format("no {}", kind)
                       : count == 1 ? fmt::format("{}-0", kind)
                                    : fmt::format("{}-0 to {}-{}", kind, kind, count - 1);
    throw error(
        fmt::format("{}: link.emulation_to[{}].peer: expected a member of {}, which has {}, "
                    "found {}",
                    source, i, committee.string(), known, toml_string(x.emulate_to[i].peer)));
  }
}

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
  check_sizes(from, x);
  check_history(from, x);
  check_emulated(from.link, from.source, members, x.committee_path);
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

client_identity identify(const client_file& from, std::shared_ptr<const committee_file> known) {
  const std::filesystem::path source(from.source);
  client_identity x;
  x.committee_path = beside(source, from.committee);
  x.committee = known ? std::move(known)
                      : std::make_shared<const committee_file>(load_committee(x.committee_path));
  const auto& members = x.committee->members;
  x.self = found(from.source, "client", [&] { return client_named(members, from.client); });
  const auto& me = members.clients[x.self.value];
  check_emulated(from.link, from.source, members, x.committee_path);
  must_fit(from.link.settings, largest_to_client(x.committee->protocol), from.source,
           x.committee_path);
  check_load(from, x);
  const auto key_path = beside(source, from.keys.signing);
  x.signer = std::make_shared<crypto::ed25519_signer>(crypto::ed25519_signer::load(key_path));
  must_match(key_path, x.signer->key(), x.committee_path, me.name, me.key);
  return x;
}

operator_identity identify(const operator_file& from) {
  operator_identity x;
  x.committee_path = beside(from.source, from.committee);
  x.committee = load_committee(x.committee_path);
  check_emulated(from.link, from.source, x.committee.members, x.committee_path);
  return x;
}

void check_internal_identity(const node_file& from) {
  if (!from.internal.tls) return;
  const auto certificate = beside(from.source, from.internal.certificate);
  const key_files keys{.signing = {},
                       .coin = {},
                       .certificate = from.internal.certificate,
                       .certificate_key = from.internal.certificate_key,
                       .authority = from.internal.authority};
  check_link_identity(keys, from.source, crypto::name_of_certificate(certificate));
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
