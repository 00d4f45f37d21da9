// Own sealed batches on their way to the peers (design: the certified DAG, "Batches"): who has
// acknowledged which, and what each peer may be sent. A window of unacknowledged bytes for each
// peer: a slow or dead one never stalls the others. Pure.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "actors/dag/author_set.hpp"
#include "actors/worker/batch_records.hpp"
#include "messages/batch.hpp"
#include "messages/time.hpp"

namespace flamingo::worker {

/// A batch to be sent. Without a frame it is to be read from the store.
struct batch_send {
  validator_id to;
  batch_key batch;
  shared_bytes frame;
};

class egress {
public:
  struct settings {
    validator_id self;
    std::size_t validators = 0, quorum = 0;
    std::uint64_t window_bytes = 0;  // unacknowledged to one peer
    std::uint64_t cache_bytes = 0;   // of frames kept in memory
    duration resend{};               // the first time-out of what is not acknowledged
  };

  explicit egress(settings with) : with_(with), peers_(with.validators) {}

  /// An own batch, sealed at `now` or found in the store at the start (then without its frame).
  void add(batch_sequence, const digest&, std::uint64_t bytes, shared_bytes frame, time_point now);

  /// A validator (this one included) says that it has our batch.
  /// @returns how long the batch waited for a quorum, if this made the quorum.
  std::optional<duration> acknowledged(validator_id from, const batch_stored&, time_point now);

  /// Nobody waits for the batch any more: it is committed, so a peer that lacks it will ask.
  void forget(batch_sequence);

  /// Sends again what the link may have lost.
  void peer_up(validator_id, time_point now);
  void peer_down(validator_id);

  /// What may leave now. A peer that has acknowledged nothing for a while gets its oldest
  /// unacknowledged batch again, ever more rarely.
  void pump(time_point now, std::vector<batch_send>& out);
  std::optional<time_point> next_deadline() const;

  bool has(batch_sequence sequence) const { return own_.contains(sequence); }
  std::uint64_t unacknowledged_bytes(validator_id to) const { return peer(to).inflight_bytes; }
  std::uint64_t sent_again() const { return sent_again_; }
  std::uint64_t cached_bytes() const { return cached_bytes_; }

private:
  static constexpr int back_off_max = 32;  // times the first time-out

  struct batch {
    digest id;
    std::uint64_t bytes = 0;
    shared_bytes frame;
    time_point sealed;
    dag::author_set stored_by;
    bool available = false;
  };
  struct peer_state {
    bool up = false;
    std::deque<batch_sequence> waiting;
    std::map<batch_sequence, std::uint64_t> inflight;  // its bytes
    std::uint64_t inflight_bytes = 0;
    time_point quiet_since{};  // since the last acknowledgement, or since something went out
    duration time_out{};
  };

  const peer_state& peer(validator_id v) const { return peers_[v.value]; }
  void take_back(peer_state&, batch_sequence);
  void drop_frames();
  batch_send send_of(validator_id to, batch_sequence) const;

  settings with_;
  std::map<batch_sequence, batch> own_;
  std::vector<peer_state> peers_;      // indexed by validator_id; our own stays empty
  std::deque<batch_sequence> cached_;  // own batches with a frame, oldest first
  std::uint64_t cached_bytes_ = 0, sent_again_ = 0;
};

}  // namespace flamingo::worker
