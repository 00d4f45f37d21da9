// What can be set about a client. Local values: they change no vote, order or state.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "messages/client.hpp"

namespace flamingo::client {

struct settings {
  // -- the load: SmallBank, open loop
  std::uint64_t rate = 1000;                    // transactions a second; 0: none
  std::optional<std::chrono::seconds> run_for;  // then no more load; without it: until told
  std::uint32_t transaction_bytes = 512;        // operation and padding; 0..4096
  std::uint32_t hot_per_mille = 0;  // share of the transactions that act on hot accounts; 0..1000
  std::uint64_t hot_accounts = 1;   // how many of the client's accounts are hot
  std::uint64_t seed = 1;           // of everything that is drawn

  // -- or one transaction instead of a load
  std::optional<planned_transaction> single;

  // -- bundles
  std::uint32_t transactions_per_bundle = 500;  // 1..the protocol's max_transactions_per_bundle
  std::chrono::milliseconds bundle_delay{20};   // a bundle leaves after this, full or not
  std::uint32_t outstanding_bundles = 16;       // built and without receipts; fewer while
                                                // validators are busy; 1..1024
  std::uint64_t expiry_rounds = 5000;  // a bundle may be executed up to this many rounds ahead

  // -- patience
  std::chrono::milliseconds relay_timeout{2000};  // without a receipt; or 3 x the median latency
  std::chrono::seconds give_up{30};  // after the end of the load (or the start of a single one)
  std::chrono::seconds pending_warning{30};  // a bundle without receipts for so long is warned of
};

}  // namespace flamingo::client
