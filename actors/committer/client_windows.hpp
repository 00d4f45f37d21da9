// Exactly once: which bundle sequences of each client the log has consumed (design: ordering-layer
// balancing, "Exactly once"). A function of the log: equal at every validator at every commit.
//
// The second bitmap, of which bundles were counted for their assignee, comes with ordering balance.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "messages/client.hpp"
#include "messages/execution.hpp"

namespace flamingo::committer {

/// One client's consumed sequences: all below `low`, and a bitmap above it. Sequences start at 1.
class client_window {
public:
  /// What a committed bundle is. Consumes its sequence unless it was consumed or is beyond the
  /// window.
  /// @param window sequences from `low` on that may be consumed: the protocol's bundle_window.
  verdict take(bundle_sequence sequence, round_number expires, round_number anchor_round,
               std::uint64_t window);

  /// Whether it was consumed.
  bool has(bundle_sequence sequence) const { return sequence < low_ || consumed(sequence.value); }

  /// The lowest sequence that is not consumed.
  bundle_sequence low() const { return low_; }

  /// For the store: `low` and whole words of the bitmap, the first of which holds `low`.
  std::vector<std::uint64_t> words() const { return {words_.begin(), words_.end()}; }
  /// Nothing for what no window ever gave.
  static std::optional<client_window> restored(bundle_sequence low,
                                               const std::vector<std::uint64_t>& words);

  friend bool operator==(const client_window&, const client_window&) = default;

private:
  static constexpr std::uint64_t bits = 64;  // of a word

  bool consumed(std::uint64_t sequence) const;
  void consume(std::uint64_t sequence);

  bundle_sequence low_{1};
  // Bit i of word k is sequence (low / 64 + k) * 64 + i, 1 if it is consumed; below low it means
  // nothing. Words behind the last one are 0. Invariant: the bit of low is 0.
  std::deque<std::uint64_t> words_;
};

/// The windows of all clients, and which of them a commit changed.
class client_windows {
public:
  explicit client_windows(std::uint64_t window) : window_(window) {}

  verdict take(const bundle_head& bundle, round_number anchor_round);
  void restore(client_id client, client_window window) { windows_[client] = std::move(window); }

  /// A client of which nothing was ever consumed has no window: its low is 1.
  const std::map<client_id, client_window>& all() const { return windows_; }

  /// Windows that changed since the last call, as they are now, by client.
  std::vector<std::pair<client_id, client_window>> take_changed();

private:
  std::uint64_t window_;
  std::map<client_id, client_window> windows_;
  std::set<client_id> changed_;
};

}  // namespace flamingo::committer
