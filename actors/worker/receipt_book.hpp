// Outcomes of bundles on their way back to their clients: one signed message for each client and
// commit, and the recent ones for who asks again (design: ordering-layer balancing, "A receipt";
// execution-layer balancing, "Receipts"). The recent ones are kept in the store too: what a
// snapshot is past is not executed again after a restart. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "messages/client.hpp"
#include "messages/time.hpp"

namespace flamingo::worker {

/// What became of a bundle here.
struct outcome {
  bundle_sequence sequence;
  digest bundle;
  commit_index index;
  validator_id carrier;       // whose batch it was in
  std::vector<byte> results;  // a result_code for each transaction

  friend bool operator==(const outcome&, const outcome&) = default;
};

/// Receipts to be signed at once and sent to a client.
struct receipt_order {
  client_id client;
  round_number anchor_round;
  std::vector<outcome> list;
};

/// What changed among the recent outcomes.
struct outcome_changes {
  std::vector<std::pair<client_id, bundle_sequence>> kept, forgotten;
};

class receipt_book {
public:
  struct settings {
    std::size_t recent_max = 0;  // kept for each client
    duration linger{};           // the longest that an outcome waits for others of its commit
  };

  explicit receipt_book(settings with) : with_(with) {}

  /// `bundles` outcomes of a client's bundles will come for this commit.
  void expect(client_id, commit_index, std::uint32_t bundles);

  void add(client_id, outcome, time_point now, outcome_changes&);

  /// One that the store held. Before anything else.
  void restore(client_id, outcome);

  /// A recent one, or nullptr.
  const outcome* find(client_id, bundle_sequence) const;

  /// A client asks again.
  /// @returns whether the outcome is known; then it is sent.
  bool ask(client_id, bundle_sequence, time_point now);

  /// What is to be sent now: all that is expected of a client's commit is there, or it lingered.
  void take_ready(time_point now, round_number anchor_round, std::vector<receipt_order>& out);
  std::optional<time_point> next_deadline() const;

private:
  struct recent_outcomes {
    std::map<bundle_sequence, outcome> by_sequence;
    std::deque<bundle_sequence> order;
  };
  struct pending {
    std::vector<outcome> list;
    time_point since{};
    commit_index newest;
  };

  void enqueue(client_id, outcome, time_point now);
  static void cut(client_id, round_number, std::vector<outcome>, std::vector<receipt_order>& out);
  bool complete(client_id, commit_index newest) const;

  settings with_;
  std::map<client_id, recent_outcomes> recent_;
  std::map<client_id, pending> pending_;
  // Outcomes that are still to come. Commits below the newest by `expected_span` are given up.
  std::map<client_id, std::map<commit_index, std::uint32_t>> expected_;
  static constexpr std::uint64_t expected_span = 1000;
  // Of result codes in one message, so that it stays far below a link's cap.
  static constexpr std::size_t message_codes_max = 512 << 10;
};

}  // namespace flamingo::worker
