// The client: transactions due at a fixed rate into signed bundles, bundles to the assignee, f+1
// equal receipts back (paper section 6; design: ordering-layer balancing, "Accounts, clients,
// bundles").
//
// Pure state machine. Due transactions are a counter, however many wait; built bundles are bounded.
// A bundle is done when f+1 distinct validators gave equal receipts, and not before: until then it
// is sent again, to its assignee and then to one further validator at a time. The same transactions
// leave under a new sequence only once f+1 receipts prove that the old one went to another bundle.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "actors/client/receipt_votes.hpp"
#include "actors/client/sending_window.hpp"
#include "actors/client/settings.hpp"
#include "actors/client/summary.hpp"
#include "actors/client/workload.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/client.hpp"
#include "messages/committee.hpp"
#include "messages/time.hpp"
#include "messages/verified.hpp"

namespace flamingo::client {

// -- inputs

struct link_up {
  validator_id validator;
};
struct link_down {
  validator_id validator;
};
struct welcomed {
  validator_id from;
  welcome what;
};
struct answered {
  validator_id from;
  admission_answer what;
};
struct table_told {
  validator_id from;
  assignment_update what;
};
/// Receipts with a right signature; result codes that do not fit their digest are taken out.
struct receipts_checked {
  verified<receipts> what;
};
struct receipts_forged {};
/// The bundle that a `build_order` asked for.
struct bundle_built {
  bundle_sequence sequence;
  digest id;
  shared_bytes frame;  // a ClientMessage
};
struct load_stopped {};
struct time_passed {};
using input = std::variant<link_up, link_down, welcomed, answered, table_told, receipts_checked,
                           receipts_forged, bundle_built, load_stopped, time_passed>;

// -- effects

/// To be built, signed, and handed in again as `bundle_built`, at once.
struct build_order {
  bundle_sequence sequence;
  validator_id assignee;
  round_number expires;
  std::shared_ptr<const std::vector<planned_transaction>> transactions;
};
struct bundle_send {
  validator_id to;
  shared_bytes frame;
};
struct effects {
  std::vector<build_order> builds;
  std::vector<bundle_send> bundles;
  std::vector<std::pair<validator_id, receipt_query>> queries;
  bool finished = false;  // said once
};

// -- state

struct parameters {
  client_id self;
  std::shared_ptr<const committee> members;
  protocol_parameters protocol;
  settings with;
};

class core {
public:
  explicit core(parameters with);

  effects step(time_point now, input in);
  std::optional<time_point> next_deadline() const;

  /// Whether this validator's receipt would tell us something, were its signature right.
  bool needs(validator_id from, const receipt&) const;

  const summary& counts(time_point now);

  /// Of a single transaction: where it was committed, and its result code once the carrier or a
  /// guess that fits the digest told it.
  struct single_outcome {
    commit_index index;
    digest results_digest;
    std::optional<result_code> code;
  };
  const std::optional<single_outcome>& single() const { return single_; }
  /// Why validators call our bundles invalid; empty if none does.
  const std::string& refusal() const { return refusal_; }

private:
  struct bundle {
    std::shared_ptr<const std::vector<planned_transaction>> transactions;
    validator_id assignee;    // as the newest build names it
    round_number expires;     // as the newest build names it
    std::vector<digest> ids;  // of every build: any of them may be committed
    shared_bytes frame;       // of the newest; empty while it is built
    validator_id target;      // whom it was sent to last
    std::optional<time_point> first_sent;
    time_point last_sent{};
    std::optional<time_point> resend_at;  // the assignee was busy
    time_point relay_at{};                // without a receipt by then: to a further validator
    std::uint32_t relays = 0, busy = 0;
    bool admitted = false, warned = false;
    std::set<validator_id> redirected_by, invalid_at;
    receipt_votes votes;
    std::map<digest, std::vector<byte>> results;  // by results digest, from carriers

    std::uint64_t size() const { return transactions->size(); }
  };
  struct finished_bundle {
    receipt_statement what;
    std::uint64_t transactions = 0;
    bool results_known = false;
    receipt_votes again;  // what says another commit
  };

  void on(link_up, effects&);
  void on(link_down, effects&);
  void on(welcomed, effects&);
  void on(answered, effects&);
  void on(table_told, effects&);
  void on(receipts_checked, effects&);
  void on(receipts_forged, effects&);
  void on(bundle_built, effects&);
  void on(load_stopped, effects&);
  void on(time_passed, effects&) {}

  void on(const admission::admitted&, validator_id, bundle_sequence, bundle&, effects&);
  void on(const admission::redirect&, validator_id, bundle_sequence, bundle&, effects&);
  void on(const admission::busy&, validator_id, bundle_sequence, bundle&, effects&);
  void on(const admission::relay_limited&, validator_id, bundle_sequence, bundle&, effects&);
  void on(const admission::invalid&, validator_id, bundle_sequence, bundle&, effects&);
  void on(const admission::duplicate&, validator_id, bundle_sequence, bundle&, effects&);

  // when
  void begin_if_ready();
  void end_if_due(effects&);
  bool all_heard(effects&);
  void note_pending();
  std::uint64_t due(time_point now) const;
  time_point due_at(std::uint64_t transaction) const;
  std::optional<time_point> load_deadline() const;
  std::optional<time_point> end() const;
  duration relay_timeout() const;

  // bundles
  void make_bundles(effects&);
  void fill_open_bundles(effects&);
  bool is_late(const std::vector<planned_transaction>& open) const;
  bool has_room() const { return outstanding_.size() < window_.size(); }
  void close(validator_id assignee, effects&);
  void give_up(bundle_sequence, bundle&, effects&);
  void build(bundle_sequence, bundle&, validator_id assignee, effects&);
  void send(bundle_sequence, bundle&, validator_id to, effects&);
  validator_id first_target(bundle&);
  std::optional<validator_id> next_reachable(validator_id after, std::uint32_t& steps) const;
  bool reachable(validator_id) const;
  void heard(validator_id from) { unheard_since_.erase(from); }
  void retry(effects&);
  void relay(bundle_sequence, bundle&, effects&);
  void query_all(bundle_sequence, const bundle&, effects&);
  validator_id assignee_of(account_id) const;

  void note_round(validator_id from, round_number);
  void reroute(effects&);

  // receipts
  void take(validator_id from, const receipt&, effects&);
  void complete(bundle_sequence, const receipt_statement&, effects&);
  void move_to_new_sequence(bundle, effects&);
  void take_late(validator_id from, const receipt&, finished_bundle&);
  void count_results(const std::vector<byte>& codes);

  parameters with_;
  time_point now_{};  // of the step under way
  workload workload_;
  std::optional<time_point> first_step_, begun_, stopped_;
  bool finished_ = false;

  std::map<validator_id, welcome> welcomes_;
  std::optional<time_point> enough_welcomes_;    // since when f+1 are known
  std::map<validator_id, round_number> rounds_;  // the newest anchor's that each told
  std::set<validator_id> up_;
  std::map<validator_id, time_point> unheard_since_;  // the first sending that nothing followed
  time_point probed_{};                               // when a silent assignee was last tried
  bundle_sequence next_sequence_{1};
  round_number anchor_round_;

  std::uint64_t made_ = 0;                                         // transactions put into bundles
  std::map<validator_id, std::vector<planned_transaction>> open_;  // by assignee
  std::map<bundle_sequence, bundle> outstanding_;
  sending_window window_;                            // of outstanding_
  std::map<bundle_sequence, finished_bundle> done_;  // the newest `done_max`
  static constexpr std::size_t done_max = 10'000;
  std::set<bundle_sequence> codeless_;  // of done_: no carrier has told their result codes
  std::optional<time_point> codes_asked_;

  // The newest table of each validator. Who misses one is redirected.
  std::map<validator_id, assignment_update> told_;
  struct moved_account {
    table_version version;
    validator_id assignee;
  };
  std::map<account_id, moved_account> moved_;

  latency_histogram served_;  // from the last sending to f+1 receipts
  summary counts_;
  std::optional<single_outcome> single_;
  std::string refusal_;
};

}  // namespace flamingo::client
