// A few validators' primaries and aggregators, as pure cores, with a simulated network between
// them: virtual time, delays, loss, crashes with the store as it was. No cryptography: what a
// signature check would refuse never occurs here.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <string>

#include "actors/certificate_aggregator/certificate_aggregator.hpp"
#include "actors/primary/primary.hpp"
#include "actors/runtime/timer.hpp"
#include "crypto/hash.hpp"
#include "messages/codec_dag.hpp"
#include "tests/unit/dag_headers.hpp"

namespace flamingo::testing {

namespace aggregator = certificate_aggregator;

/// Everything between two validators.
struct letter {
  unsigned from = 0, to = 0;
  peer_message what;
};

class dag_world {
public:
  protocol_parameters protocol;
  local_parameters local;
  duration delay{std::chrono::milliseconds{5}};
  /// Says whether a message is lost.
  std::function<bool(const letter&)> lost = [](const letter&) { return false; };
  /// What a validator's disk holds.
  struct disk {
    std::map<dag_position, digest> votes;
    std::map<round_number, primary::stored_header> own;
    std::map<dag_position, certified_header> certified;
    std::map<digest, batch_available> batches;  // its worker's; own ones until they are output
    primary::progress at;
    round_number floor;
  };
  struct validator {
    disk stored;
    std::optional<primary::core> primary;
    std::optional<aggregator::core> aggregator;
    std::vector<dag_position> complete;    // as given out since the last start, in order
    std::map<dag_position, digest> voted;  // every vote that ever left
    std::vector<primary::evidence> caught;
    std::map<reject, unsigned> rejected;
    std::map<round_number, std::set<digest>> own_headers;  // every one that ever left
    std::set<digest> batches_proposed;
    unsigned requests = 0, ranges = 0, served = 0, steps = 0;
    runtime::timer primary_timer, aggregator_timer;
    dag::graph log{1, 1};  // what the committer would have
    commit_index index;
    round_number anchor;
    bool up = false;
  };

  explicit dag_world(std::size_t n, unsigned seed = 1) : members(committee_of(n)), rng_(seed) {
    for (std::uint16_t i = 0; i < n; ++i)
      genesis_.push_back(genesis_header(members.chain, validator_id{i}));
    nodes.resize(n);
  }

  committee members;
  std::vector<validator> nodes;
  time_point now{std::chrono::hours{1}};

  void start_all() {
    for (unsigned i = 0; i < nodes.size(); ++i) start(i);
  }
  void start(unsigned i);
  /// Power off: what is in memory is gone, what was stored stays.
  void crash(unsigned i);
  void run_for(duration d);
  /// Two votes or two own headers of one round, if there ever were.
  std::vector<std::string> broken_promises;
  /// The lowest round that any running validator has proposed for.
  round_number slowest() const;

  /// Validator i's worker has a batch, and so have the workers of `at`.
  digest batch(unsigned author, unsigned name, const std::vector<unsigned>& at);
  signed_header sign(header x) const {
    if (carries_coin_share(x.round)) x.coin_share.assign(97, 1);
    signed_bytes bytes{encode_header(x), {}};
    x.id = header_id(bytes.body);
    return {std::move(x), std::move(bytes)};
  }
  void to_primary(unsigned i, primary::input in);
  void to_aggregator(unsigned i, aggregator::input in);
  void deliver(const letter& x);
  void post(letter x);

private:
  struct event {
    time_point when;
    std::uint64_t number;
    std::function<void()> what;
    bool operator>(const event& x) const {
      return std::tie(when, number) > std::tie(x.when, x.number);
    }
  };
  dag_limits limits() const {
    return {members.size(), protocol.max_header_bytes, protocol.max_payload_entries,
            protocol.max_control_records};
  }
  void schedule(time_point when, std::function<void()> what) {
    events_.push({when, next_event_++, std::move(what)});
  }
  void broadcast(unsigned from, const peer_message& x) {
    for (unsigned to = 0; to < nodes.size(); ++to)
      if (to != from) post({from, to, x});
  }
  signed_header decoded(const signed_bytes& x) const {
    return {*decode_header(x.body, limits()), x};
  }
  void perform(unsigned i, primary::effects x);
  void perform(unsigned i, aggregator::effects x);
  void arm(unsigned i);
  void left(unsigned i, const signed_header& own);
  void give(unsigned i, const certified_header& x);
  void commit(unsigned i);

  std::vector<digest> genesis_;
  std::mt19937 rng_;
  std::priority_queue<event, std::vector<event>, std::greater<>> events_;
  std::uint64_t next_event_ = 0;
  std::vector<unsigned> life_ = std::vector<unsigned>(64);
};

}  // namespace flamingo::testing
