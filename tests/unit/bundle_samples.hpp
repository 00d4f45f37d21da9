// Bundles and committees for the tests of the worker, the client and their codecs.
#pragma once

#include <string>
#include <vector>

#include "crypto/fake_signing.hpp"
#include "messages/codec_bundle.hpp"
#include "messages/codec_client.hpp"
#include "messages/committee.hpp"

namespace flamingo::tests {

inline constexpr std::uint64_t accounts_per_client = 1000;

/// Fake keys: validator "v<i>", client "c<i>". Client i owns accounts [1000 i, 1000 (i + 1)) and is
/// assigned to validator i mod n.
inline committee sample_committee(std::size_t validators = 4, std::size_t clients = 4) {
  committee out;
  out.chain.bytes.fill(7);
  for (std::size_t i = 0; i < validators; ++i) {
    const std::string name = "v" + std::to_string(i);
    validator_info v;
    v.name = name;
    v.key = crypto::fake_signer(name).key();
    v.workers.resize(1);
    out.validators.push_back(v);
  }
  for (std::size_t i = 0; i < clients; ++i) {
    const std::string name = "c" + std::to_string(i);
    const auto first = accounts_per_client * i;
    client_info c;
    c.name = name;
    c.key = crypto::fake_signer(name).key();
    c.accounts = {{account_id{first}, account_id{first + accounts_per_client}}};
    c.assignee = validator_id{static_cast<std::uint16_t>(i % validators)};
    out.clients.push_back(c);
  }
  return out;
}

inline std::vector<planned_transaction> sample_transactions(client_id client, std::size_t count) {
  std::vector<planned_transaction> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& x = out[i];
    x.account = account_id{accounts_per_client * client.value + i * 7 % accounts_per_client};
    x.size = static_cast<std::uint8_t>(9 + i % 3 * 8);
    for (std::size_t k = 0; k < x.size; ++k) x.operation[k] = static_cast<byte>(i + k);
  }
  return out;
}

struct sample_bundle {
  wire<schema::ClientMessage> frame;
  digest id;
  signed_bytes parts() const { return std::get<signed_bundle>(*decode(frame, 1 << 20)).parts; }
};

/// Signed with the client's fake key.
inline sample_bundle make_bundle(const committee& members, client_id client, std::uint64_t sequence,
                                 validator_id assignee, std::size_t transactions = 3,
                                 std::size_t transaction_bytes = 64) {
  const auto plan = sample_transactions(client, transactions);
  auto built = build_bundle(
      {client, bundle_sequence{sequence}, assignee, round_number{1000}, transaction_bytes}, plan);
  sample_bundle out;
  out.id = crypto::hash(crypto::tags::bundle, built.body());
  out.frame = built.finish(crypto::fake_signer("c" + std::to_string(client.value))
                               .sign(crypto::bundle_statement(members.chain, out.id)));
  return out;
}

}  // namespace flamingo::tests
