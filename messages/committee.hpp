// Who takes part, with which keys and addresses, and how many are enough. From the committee file
// only.
#pragma once

#include <string>
#include <vector>

#include "messages/digest.hpp"
#include "messages/identifiers.hpp"

namespace flamingo {

/// host:port as in the committee file; names are resolved where they are dialled.
struct network_address {
  std::string host;
  std::uint16_t port = 0;
  friend bool operator==(const network_address&, const network_address&) = default;
};

struct worker_info {
  network_address peers;    // for same-index workers of other validators
  network_address clients;  // for clients
};

struct validator_info {
  std::string name;  // "v0": in logs, metrics and commands
  public_key key;
  curve_point coin_key;       // verification key of its coin share
  network_address primary;    // for other primaries
  network_address operators;  // for status and administration
  std::vector<worker_info> workers;
  std::string region;
  std::uint64_t capacity_min = 0, capacity_max = 0;  // transactions a second it may declare
};

/// Half-open range of accounts [first, last).
struct account_range {
  account_id first, last;
  bool contains(account_id x) const { return first <= x && x < last; }
};

struct client_info {
  std::string name;  // "c0"
  public_key key;
  std::string region;
  std::vector<account_range> accounts;  // that it owns: only these act in its bundles
  validator_id assignee;                // of these accounts at genesis

  bool owns(account_id x) const {
    for (const auto& range : accounts)
      if (range.contains(x)) return true;
    return false;
  }
};

struct committee {
  digest chain;  // SHA-256 of the genesis committee file: names the network for ever
  digest file;   // SHA-256 of the committee file in force
  epoch_id epoch;
  std::vector<validator_info> validators;  // indexed by validator_id
  std::vector<client_info> clients;        // indexed by client_id

  std::size_t size() const { return validators.size(); }
  /// f: how many may be Byzantine.
  std::size_t faulty() const { return (size() - 1) / 3; }
  /// n - f (never 2f + 1: that is wrong for n = 5 and 6).
  std::size_t quorum() const { return size() - faulty(); }
  /// f + 1: at least one honest.
  std::size_t validity() const { return faulty() + 1; }
  bool has(validator_id v) const { return v.value < size(); }
  const client_info* find(client_id c) const {
    return c.value < clients.size() ? &clients[c.value] : nullptr;
  }
};

}  // namespace flamingo
