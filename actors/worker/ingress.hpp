// A worker's door to the clients (design: ordering-layer balancing, "Accounts, clients, bundles";
// the hot path: "bounded ingress" matters most). What clients may have in the worker is bounded in
// all and for each, so that many who want much leave room for one who wants little; their bundles
// are taken in turn. Pure.
#pragma once

#include <map>
#include <optional>

#include "actors/worker/fair_queue.hpp"
#include "actors/worker/rate_limit.hpp"
#include "messages/client.hpp"

namespace flamingo::worker {

/// What checking a bundle's signature costs, as bytes that could be hashed in that time.
inline constexpr std::uint64_t signature_cost = 64 << 10;

/// A bundle that nobody has looked at yet.
struct waiting_bundle {
  signed_bytes parts;
  bundle_sequence claimed;  // as its unchecked bytes say
};

class ingress {
public:
  struct settings {
    std::uint64_t client_window_bytes = 0, ingress_bytes = 0;
    duration max_delay{};  // of a client's bundles here, beyond which it is told to come later
    std::uint32_t relay_per_mille = 0;
  };

  explicit ingress(settings with)
      : with_(with), queue_(quantum), relays_(relay_rate(with.ingress_bytes)) {}

  /// Takes a bundle in, or says why it is busy.
  std::optional<admission::busy> arrive(client_id from, waiting_bundle x, time_point now);

  /// Whether the client has to wait since too many of its bundles were checked in vain.
  std::optional<admission::busy> distrusts(client_id from, time_point now) const;

  /// A bundle of this client was checked and not kept. Checks cost the other clients' time, so a
  /// client has few of them in vain a second: beyond that nothing of it is taken in for a while.
  void checked_in_vain(client_id from, time_point now);

  /// The bundle whose turn it is. It counts as being in the worker until `release`.
  std::optional<std::pair<client_id, waiting_bundle>> pop();
  bool empty() const { return queue_.empty(); }

  /// A bundle whose body has `bytes` bytes is not this worker's to keep any more: it was refused,
  /// or a quorum has it.
  void release(client_id from, std::uint64_t bytes);

  /// Counts a relayed bundle, or says how it is limited: relays may take a share of the ingress a
  /// second, in all and for each client.
  std::optional<admission::relay_limited> relay(client_id from, std::uint64_t bytes,
                                                time_point now);

  std::uint64_t bytes() const { return bytes_; }

private:
  static constexpr std::uint64_t quantum = 256 << 10;  // bytes a client's turn
  static constexpr std::chrono::milliseconds busy_retry{100};
  static constexpr std::uint64_t vain_checks_per_second = 100;

  std::uint64_t relay_rate(std::uint64_t bytes) const {
    return bytes * with_.relay_per_mille / 1000;
  }

  settings with_;
  struct queued {
    waiting_bundle bundle;
    time_point since;
  };
  fair_queue<client_id, queued> queue_;
  std::map<client_id, std::uint64_t> held_;  // bytes of each client in the worker
  std::uint64_t bytes_ = 0;                  // Invariant: the sum over held_, at most ingress_bytes
  rate_limit relays_;
  std::map<client_id, rate_limit> relays_of_;
  std::map<client_id, rate_limit> vain_of_;
};

}  // namespace flamingo::worker
