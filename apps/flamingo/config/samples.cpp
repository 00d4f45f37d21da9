#include "apps/flamingo/config/samples.hpp"

#include <fmt/format.h>

#include "apps/flamingo/config/client_file.hpp"
#include "apps/flamingo/config/committee_file.hpp"
#include "apps/flamingo/config/node_file.hpp"

namespace flamingo::config {

namespace {

/// Bytes that look like a key in a sample and are nobody's.
template <class Bytes>
Bytes placeholder(std::size_t i) {
  Bytes x;
  x.bytes.fill(static_cast<byte>(i));
  return x;
}

committee_file sample_committee() {
  constexpr std::size_t validators = 4, clients = 2;
  committee_file x;
  for (std::size_t i = 0; i < validators; ++i) {
    validator_info v;
    v.name = fmt::format("v{}", i);
    v.key = placeholder<public_key>(1 + i);
    v.coin_key = placeholder<curve_point>(1 + i);
    v.primary = {v.name + ".example.org", 7000};
    v.operators = {v.name + ".example.org", 7001};
    v.workers = {{{v.name + ".example.org", 7003}, {v.name + ".example.org", 7004}}};
    v.region = "eu-west";
    v.capacity_min = 1'000;
    v.capacity_max = 1'000'000;
    x.members.validators.push_back(v);
  }
  const auto each = x.protocol.accounts / clients;
  for (std::size_t i = 0; i < clients; ++i) {
    client_info c;
    c.name = fmt::format("c{}", i);
    c.key = placeholder<public_key>(101 + i);
    c.region = "eu-west";
    c.accounts = {{account_id(i * each), account_id((i + 1) * each)}};
    c.assignee = validator_id(static_cast<std::uint16_t>(i));
    x.members.clients.push_back(c);
  }
  return x;
}

}  // namespace

std::vector<sample> samples() {
  node_file node;
  node.validator = "v0";
  node.metrics = {"127.0.0.1", 7002};
  client_file client;
  client.client = "c0";
  return {{"committee", write_committee(sample_committee(), true)},
          {"node", document_node(node)},
          {"client", document_client(client)},
          {"operator", document_operator({})}};
}

}  // namespace flamingo::config
