#include "apps/flamingo/config/committee_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "actors/load_monitor/load_monitor.hpp"
#include "apps/flamingo/config/file_kind.hpp"
#include "apps/flamingo/config/parameters.hpp"
#include "apps/flamingo/config/reader.hpp"
#include "apps/flamingo/config/writer.hpp"
#include "crypto/hash.hpp"
#include "crypto/hex.hpp"
#include "messages/account_counts.hpp"
#include "messages/batch.hpp"
#include "messages/dag.hpp"

namespace flamingo::config {

namespace {

constexpr std::size_t validators_max = 1000, clients_max = 100'000;

/// What the file says, before names are resolved.
struct raw {
  committee_file file;
  std::string chain;
  std::vector<std::string> assignees;  // by client
};

entry account_ranges(std::string key, std::vector<account_range>& x, std::string meaning) {
  entry out{.key = std::move(key), .meaning = std::move(meaning)};
  out.expected = "ranges of accounts as [[first, last + 1], ...]";
  out.read = [&x](const toml::node& node) {
    const auto* ranges = node.as_array();
    if (ranges == nullptr) return false;
    x.clear();
    for (const auto& range : *ranges) {
      const auto* pair = range.as_array();
      if (pair == nullptr || pair->size() != 2) return false;
      const auto first = pair->get(0)->value_exact<std::int64_t>();
      const auto last = pair->get(1)->value_exact<std::int64_t>();
      if (!first || !last || *first < 0 || *last <= *first) return false;
      x.push_back({account_id(static_cast<std::uint64_t>(*first)),
                   account_id(static_cast<std::uint64_t>(*last))});
    }
    return true;
  };
  out.write = [&x] {
    std::string text = "[";
    for (const auto& range : x)
      text += fmt::format("{}[{}, {}]", &range == &x.front() ? "" : ", ", range.first.value,
                          range.last.value);
    return text + "]";
  };
  return out;
}

section describe(worker_info& x) {
  return {
      .key = {},
      .meaning = {},
      .entries =
          {
              required(address("peers", x.peers, 1,
                               "Where the same worker of other validators reaches this one.")),
              required(address("clients", x.clients, 1, "Where clients reach this worker.")),
          },
  };
}

section describe(validator_info& x) {
  return {
      .key = {},
      .meaning = {},
      .entries =
          {
              required(text("name", x.name, "a name", "In logs, metrics and commands.")),
              required(hex("key", x.key, "Its Ed25519 public key.")),
              required(hex("coin_key", x.coin_key,
                           "The verification key of its shares of the coin (P-256).")),
              required(address("primary", x.primary, 1, "Where other primaries reach it.")),
              required(address("operators", x.operators, 1, "Where `flamingo status` reaches it.")),
              required(text("region", x.region, "a name", "Where it runs; \"\" if unknown.")),
              required(integer("capacity_min", x.capacity_min, 0, 1'000'000'000,
                               "The least capacity that it may declare.", "transactions a second")),
              required(integer("capacity_max", x.capacity_max, 1, 1'000'000'000,
                               "The most capacity that it may declare.", "transactions a second")),
          },
      .lists = {items<worker_info>("workers", x.workers, "Its dissemination workers.",
                                   [](worker_info& w) { return describe(w); })},
  };
}

section describe(client_info& x, std::string& assignee) {
  return {
      .key = {},
      .meaning = {},
      .entries =
          {
              required(text("name", x.name, "a name", "In logs, metrics and commands.")),
              required(hex("key", x.key, "Its Ed25519 public key.")),
              required(text("region", x.region, "a name", "Where it runs; \"\" if unknown.")),
              required(account_ranges("accounts", x.accounts,
                                      "The accounts that it owns: only these act in its bundles.")),
              required(text("assignee", assignee, "a validator's name",
                            "The validator that serves these accounts at the start.")),
          },
  };
}

section describe(raw& x) {
  auto& members = x.file.members;
  section top;
  top.entries = {
      required(integer("epoch", members.epoch.value, 0, 1'000'000'000,
                       "The committee epoch: 0 in the first file of a network.")),
      text("chain", x.chain, "64 hexadecimal digits",
           "The network's chain id (the SHA-256 of its first committee file). Only in files of "
           "later epochs."),
  };
  top.sections = {describe_application(x.file.protocol), describe_protocol(x.file.protocol)};
  top.lists = {
      items<validator_info>("validators", members.validators,
                            "The validators; the order numbers them from 0.",
                            [](validator_info& v) { return describe(v); }),
      {"clients", "The clients; the order numbers them from 0.",
       [&members] { return members.clients.size(); },
       [&x](std::size_t i) {
         if (i == x.file.members.clients.size()) {
           x.file.members.clients.emplace_back();
           x.assignees.emplace_back();
         }
         return describe(x.file.members.clients[i], x.assignees[i]);
       }},
  };
  top.lists[0].required = true;
  top.bytes_max = 64 << 20;  // clients_max of them
  return top;
}

// -- checks across keys ---------------------------------------------------------------------------

class checker {
public:
  checker(raw& x, const std::string& name) : raw_(x), name_(name) {}

  void check() {
    auto& members = raw_.file.members;
    if (members.size() > validators_max) fail("validators", "at most 1000");
    if (members.clients.size() > clients_max) fail("clients", "at most 100000");
    for (std::size_t i = 0; i < members.size(); ++i)
      check(members.validators[i], fmt::format("validators[{}]", i));
    for (std::size_t i = 0; i < members.clients.size(); ++i)
      check(members.clients[i], raw_.assignees[i], fmt::format("clients[{}]", i));
    check_owned_once();
    check_sizes(raw_.file.protocol);
    if (const auto why = load_monitor::refusal(raw_.file.protocol.balancing))
      throw error(fmt::format("{}: protocol.{}", name_, *why));
  }

private:
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const {
    throw error(fmt::format("{}: {}: expected {}", name_, key, expected));
  }

  void check_sizes(const protocol_parameters& x) const {
    const auto batch = batch_overhead_bytes + bundle_bytes_in_batch(x.max_bundle_bytes);
    if (x.max_batch_bytes < batch)
      fail("protocol.max_batch_bytes",
           fmt::format("at least {}: a bundle of protocol.max_bundle_bytes and its wrapping",
                       batch));
    const auto header =
        header_bytes_without_payload(raw_.file.members.size(), x.max_control_records) +
        payload_entry_bytes + counts_bytes_max(x.max_transactions_per_bundle);
    if (x.max_header_bytes < header)
      fail("protocol.max_header_bytes",
           fmt::format("at least {}: links to {} validators, protocol.max_control_records and a "
                       "batch of protocol.max_transactions_per_bundle",
                       header, raw_.file.members.size()));
  }

  void check_name(const std::string& name, const std::string& path) {
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '-' || c == '_' || c == '.';
    };
    if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), plain))
      fail(path + ".name", "1 to 64 letters, digits, '-', '_' or '.'");
    unique(name, path + ".name");
  }
  void unique(const std::string& value, const std::string& path) {
    const auto [at, fresh] = seen_.emplace(value, path);
    if (!fresh) fail(path, fmt::format("another value: {} has {} too", at->second, value));
  }

  void check(const validator_info& v, const std::string& path) {
    check_name(v.name, path);
    unique(crypto::to_hex(v.key), path + ".key");
    // With f = 0 the coin's polynomial is a constant, and all shares of it are equal.
    if (raw_.file.members.faulty() > 0) unique(crypto::to_hex(v.coin_key), path + ".coin_key");
    unique(to_string(v.primary), path + ".primary");
    unique(to_string(v.operators), path + ".operators");
    for (std::size_t i = 0; i < v.workers.size(); ++i) {
      unique(to_string(v.workers[i].peers), fmt::format("{}.workers[{}].peers", path, i));
      unique(to_string(v.workers[i].clients), fmt::format("{}.workers[{}].clients", path, i));
    }
    const auto wanted = raw_.file.protocol.workers;
    if (v.workers.size() != wanted)
      fail(path + ".workers",
           fmt::format("{} of them, as protocol.workers says; found {}", wanted, v.workers.size()));
    if (v.capacity_min > v.capacity_max)
      fail(path + ".capacity_min", fmt::format("at most capacity_max, {}", v.capacity_max));
  }

  void check(client_info& c, const std::string& assignee, const std::string& path) {
    check_name(c.name, path);
    unique(crypto::to_hex(c.key), path + ".key");
    const auto accounts = raw_.file.protocol.accounts;
    for (const auto& range : c.accounts)
      if (range.last.value > accounts)
        fail(path + ".accounts", fmt::format("accounts below application.accounts, {}", accounts));
    const auto& all = raw_.file.members.validators;
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const validator_info& v) { return v.name == assignee; });
    if (at == all.end())
      fail(path + ".assignee", fmt::format("a validator's name, found {}", toml_string(assignee)));
    c.assignee = validator_id(static_cast<std::uint16_t>(at - all.begin()));
  }

  /// No account has two owners.
  void check_owned_once() const {
    std::map<std::uint64_t, std::pair<std::uint64_t, std::size_t>> owned;  // first -> last, client
    const auto& clients = raw_.file.members.clients;
    for (std::size_t i = 0; i < clients.size(); ++i)
      for (const auto& range : clients[i].accounts) {
        const auto key = fmt::format("clients[{}].accounts", i);
        const auto after = owned.upper_bound(range.first.value);
        if (after != owned.end() && after->first < range.last.value)
          fail(key, fmt::format("accounts that clients[{}] does not own", after->second.second));
        if (after != owned.begin()) {
          const auto& before = std::prev(after)->second;
          if (before.first > range.first.value)
            fail(key, fmt::format("accounts that clients[{}] does not own", before.second));
        }
        owned[range.first.value] = {range.last.value, i};
      }
  }

  raw& raw_;
  const std::string& name_;
  std::map<std::string, std::string> seen_;  // value -> where
};

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

committee_file parse_committee(const std::string& text, const std::string& name) {
  raw x;
  read_file(text, name, file_kind::committee, describe(x));
  checker(x, name).check();
  auto& members = x.file.members;
  crypto::hasher hash;
  hash.update(crypto::as_bytes(text));
  members.file = hash.finish();
  const bool genesis = members.epoch.value == 0;
  if (genesis && !x.chain.empty())
    throw error(name +
                ": chain: expected no such key in the file of epoch 0: its own SHA-256 is "
                "the chain id");
  if (genesis) {
    members.chain = members.file;
  } else {
    const auto bytes = crypto::from_hex<digest::size>(x.chain);
    if (!bytes)
      throw error(name +
                  ": chain: expected 64 hexadecimal digits, the chain id of the network, "
                  "since epoch is not 0");
    members.chain.bytes = *bytes;
  }
  return std::move(x.file);
}

committee_file load_committee(const std::filesystem::path& file) {
  return parse_committee(read_bytes(file), file.string());
}

std::string write_committee(const committee_file& x, bool documented) {
  raw copy{x, {}, {}};
  for (const auto& client : x.members.clients)
    copy.assignees.push_back(x.members.validators.at(client.assignee.value).name);
  if (x.members.epoch.value != 0) copy.chain = crypto::to_hex(x.members.chain);
  auto description = describe(copy);
  if (x.members.epoch.value == 0) description.entries.pop_back();
  const std::string heading =
      "The committee file of a Flamingo network: the same bytes at every validator and client.\n"
      "The SHA-256 of the first one names the network; any change makes another network.";
  return documented ? write_documented(description, heading) : write_plain(description, heading);
}

validator_id validator_named(const committee& members, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < members.size(); ++i) {
    names.push_back(members.validators[i].name);
    if (names.back() == name) return validator_id(static_cast<std::uint16_t>(i));
  }
  throw error(fmt::format("the committee file has no validator {}: it has {}", toml_string(name),
                          listed(names)));
}

client_id client_named(const committee& members, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < members.clients.size(); ++i) {
    names.push_back(members.clients[i].name);
    if (names.back() == name) return client_id(static_cast<std::uint32_t>(i));
  }
  throw error(fmt::format("the committee file has no client {}: it has {}", toml_string(name),
                          listed(names)));
}

}  // namespace flamingo::config
