// Migration coordinator: the account-assignment table, and the control records that the log
// committed (paper section 3; design: ordering-layer balancing, "Lifecycle").
//
// Pure. In this version nothing migrates: the table is the committee's, at version 0, and committed
// records are checked and counted.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <variant>
#include <vector>

#include "actors/errors.hpp"
#include "actors/protocol_parameters.hpp"
#include "messages/client.hpp"
#include "messages/committee.hpp"
#include "messages/validator.hpp"

namespace flamingo::migration_coordinator {

/// Which validator an account's transactions are assigned to: as the committee file gave it to its
/// client, but for the accounts that moved.
class assignment_table {
public:
  explicit assignment_table(const committee& members);

  /// Nothing for an account that no client owns.
  std::optional<validator_id> assignee(account_id x) const;
  table_version version() const { return update_.version; }

  /// What takes the committee's table to this one.
  const assignment_update& update() const { return update_; }

private:
  struct range {
    account_id last;  // past the end
    validator_id assignee;
  };
  std::map<account_id, range> ranges_;  // by first account; they do not overlap
  assignment_update update_;
};

// -- inputs

/// The neighbours are known.
struct started {};
using committed = commit_control;
using input = std::variant<started, committed>;

// -- effects

struct effects {
  std::optional<assignment_update> assignment;  // for all workers
  std::vector<control_record> counted;          // first of their kind, author and subject
  std::size_t repeated = 0;                     // records that an earlier header carried already
  std::vector<reject> rejected;
};

// -- state

struct parameters {
  std::uint64_t checkpoint_anchors = 0;
  std::uint64_t expiry_rounds = 0;  // how long a record may be repeated
  std::uint64_t period_rounds = 0;  // of a balance period

  static parameters of(const protocol_parameters&);
};

class core {
public:
  core(const parameters& p, const committee& members) : parameters_(p), table_(members) {}

  effects step(const input& in);

  const assignment_table& table() const { return table_; }
  std::size_t remembered() const { return seen_.size(); }

private:
  /// Kind, author and subject (an anchor, a period): one record of each counts.
  using identity = std::tuple<std::size_t, validator_id, std::uint64_t>;

  void on(const started&, effects& out) const;
  void on(const committed& in, effects& out);
  bool valid(const control_record& record, const committed& in) const;

  parameters parameters_;
  assignment_table table_;
  std::map<identity, round_number> seen_;  // and the anchor round at which it was seen last
};

}  // namespace flamingo::migration_coordinator
