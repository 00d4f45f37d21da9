// Fetches batches that the log names and that are not here, from those who signed that they have
// them (design: the certified DAG, "Headers and votes": one outstanding an (object, peer), bounded
// in all). Which signer is asked first follows from who answers and from the batch's digest, so
// load spreads without randomness. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actors/dag/punctuality.hpp"
#include "messages/batch.hpp"
#include "messages/time.hpp"
#include "messages/validator.hpp"

namespace flamingo::worker {

class batch_fetcher {
public:
  struct settings {
    validator_id self;
    std::size_t validators = 0;
    std::size_t outstanding_max = 0;  // requests without an answer
    duration retry{};                 // another source is asked after this
  };
  using requests = std::vector<std::pair<validator_id, batch_request>>;

  explicit batch_fetcher(settings with)
      : with_(with), up_(with.validators), punctual_(with.validators) {}

  /// The batch is wanted. Without signers everybody is asked in turn. Idempotent.
  void want(const wanted_batch&);
  bool wants(const digest& id) const { return wanted_.contains(id); }
  /// Whether `from` was asked for something that is still wanted, be it a while ago: then it may
  /// send a batch of another author.
  bool asked(validator_id from) const;
  /// It lacks the batch: if it was asked, another one is, at once. When all lack it, they are asked
  /// again after a while: it may be on its way to them.
  void absent(validator_id from, const digest& id);

  /// It is here.
  void arrived(const digest& id);

  void peer_up(validator_id v) {
    up_[v.value] = true;
    changed_ = true;
  }
  void peer_down(validator_id v) { up_[v.value] = false; }

  /// The requests to make now.
  void pump(time_point now, requests& out);
  /// Asks nobody before this unless something changes.
  std::optional<time_point> next_deadline() const { return next_; }
  std::size_t size() const { return wanted_.size(); }

private:
  struct want_state {
    std::vector<validator_id> sources;
    std::vector<validator_id> left;      // of them, that have not failed in this turn
    std::vector<validator_id> asked;     // each once
    std::optional<validator_id> answer;  // whose is waited for
    time_point retry_at{};
  };
  bool any_left(const want_state&) const;
  std::optional<validator_id> next_source(want_state&) const;

  settings with_;
  std::vector<bool> up_;
  dag::punctuality punctual_;
  std::map<digest, want_state> wanted_;
  std::deque<digest> queued_;  // not active yet, in order; what arrived meanwhile is skipped
  std::set<digest> active_;    // at most `outstanding_max` of `wanted_`
  std::optional<time_point> next_;
  bool changed_ = false;
};

}  // namespace flamingo::worker
