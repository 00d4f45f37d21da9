// JOINER: brings back a validator that lost its store, or is further behind than anybody's history.
// It runs before the other roles: it asks the peers where they are, fetches the newest checkpoint
// that f+1 of them signed, and says from which round on this validator may sign again (design: the
// certified DAG, "A lost store", "Recovery, history, checkpoints").
//
// Pure state machine. The shell in joiner_actor.hpp checks what peers say and writes what is kept.
#pragma once

#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "actors/dag/author_set.hpp"
#include "actors/dag/punctuality.hpp"
#include "actors/local_parameters.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/checkpoint.hpp"
#include "messages/committee.hpp"
#include "messages/time.hpp"
#include "messages/verified.hpp"

namespace flamingo::joiner {

/// Buckets of the state tree, all together.
inline constexpr std::uint32_t bucket_count = 65536;

// -- inputs

struct started {};
struct link_restored {
  validator_id peer;
};
struct link_lost {
  validator_id peer;
};
/// Where a peer is. What it cannot prove is left out.
struct answer_received {
  validator_id from;
  round_number newest;  // of its newest certificate, checked; 0 at genesis
  std::optional<verified<checkpoint_proof>> checkpoint;
};
struct ledger_received {
  validator_id from;
  ledger_part part;
};
/// Whether the whole ledger that `effects::check` gave out is the one that was signed.
struct ledger_checked {
  bool right = false;
};
/// Buckets came that belong to the signed state, or do not (then `count` means nothing), or are not
/// kept by this peer any more.
struct state_received {
  enum class outcome : std::uint8_t { right, wrong, gone };
  validator_id from;
  commit_index index;
  std::uint32_t first = 0, count = 0;
  outcome what = outcome::wrong;
};
struct ticked {};

using input = std::variant<started, link_restored, link_lost, answer_received, ledger_received,
                           ledger_checked, state_received, ticked>;

// -- effects

struct question {
  validator_id peer;
  checkpoint_message what;
};
struct finish {
  /// What to put in the place of all that the store holds of the log and the state: with this
  /// ledger, and the buckets that were kept. Nothing: go on with what is there.
  std::optional<checkpoint_summary> checkpoint;
  /// A lost store: neither vote nor propose at or below this round.
  std::optional<round_number> bar;
};

/// Performed top to bottom.
struct effects {
  bool begin = false;  // forget all buckets, durably, before any is kept
  bool keep = false;   // the buckets of this step's state_received
  bool check = false;  // ledger() is whole: answered with ledger_checked
  std::vector<question> questions;
  std::optional<finish> done;  // write it, then start the other roles
};

// -- state

struct parameters {
  validator_id self;
  std::size_t validators = 0;
  std::size_t answers_needed = 0;  // of others: n - f, or all of them if there are fewer
  std::uint64_t round_limit = 0;
  bool lost = false;       // the store is empty, or older than what this validator signed
  bool begun = false;      // an earlier attempt has forgotten what the store held of the state
  commit_index have;       // the newest commit of the store
  duration retry{};        // another peer is asked after this, then after twice as long, and so on
  std::size_t window = 8;  // state requests on their way at once
  std::uint32_t range = 4096;  // buckets of one request; what does not fit is asked for in parts

  static parameters of(validator_id self, const committee&, const protocol_parameters&,
                       const local_parameters&);
};

class core {
public:
  explicit core(const parameters&);

  effects step(time_point now, input in);
  std::optional<time_point> next_deadline() const { return deadline_; }

  const std::vector<byte>& ledger() const { return ledger_; }
  /// What is fetched; nothing while peers are asked where they are.
  const std::optional<checkpoint_summary>& target() const { return target_; }
  std::size_t answers() const { return answers_.size(); }
  std::uint32_t buckets_kept() const { return kept_; }

private:
  enum class phase : std::uint8_t { asking, ledger, checking, state, done };
  struct answer {
    round_number newest;
    std::optional<checkpoint_proof> checkpoint;
  };
  /// A range of buckets that is missing.
  struct missing {
    std::uint32_t count = 0;
    unsigned asked = 0;                // times
    std::optional<validator_id> peer;  // that was asked last, until its answer is late
    std::optional<validator_id> late;  // the newest one whose answer was
    duration allowed{};                // for the answer
    time_point due;
  };

  void on(started, effects&);
  void on(link_restored, effects&);
  void on(link_lost, effects&);
  void on(answer_received, effects&);
  void on(ledger_received, effects&);
  void on(ledger_checked, effects&);
  void on(state_received, effects&);
  void on(ticked, effects&) {}

  void ask_anew();
  void decide(effects&);
  void begin(const checkpoint_summary&, effects&);
  void ask(effects&);
  void ask_where(effects&);
  void ask_ledger(effects&);
  void ask_state(effects&);
  void end(effects&);
  void ledger_anew();
  std::optional<validator_id> next_peer(std::optional<validator_id> but = {});
  duration patience(unsigned asked) const;
  duration most_patience() const { return 32 * parameters_.retry; }

  parameters parameters_;
  time_point now_;
  phase phase_ = phase::asking;
  dag::author_set up_;
  dag::author_set useless_;  // lied, or have not kept what is fetched
  dag::punctuality punctual_;
  std::vector<validator_id> peers_;  // the preferred one among equals first
  duration patience_;                // with a peer that is asked for a part for the first time

  std::map<validator_id, answer> answers_;
  time_point ask_again_;
  std::optional<round_number> bar_;
  std::optional<checkpoint_summary> target_;

  std::vector<byte> ledger_;
  std::optional<validator_id> ledger_source_;  // of all parts: a wrong whole is then its fault
  std::optional<time_point> ledger_due_;
  unsigned ledger_late_ = 0;                  // parts that did not come in time
  std::map<std::uint32_t, missing> missing_;  // by first bucket
  std::uint32_t kept_ = 0;
  std::optional<time_point> deadline_;
};

}  // namespace flamingo::joiner
