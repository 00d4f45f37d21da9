// Load monitor: what the committed headers of a window of rounds say of every validator's load
// (paper section 3; design: ordering-layer balancing, "Signals").
//
// Pure, integers only, and a function of the log alone, so that every validator comes to the same
// numbers. With `balancing = none` nothing is decided from them: they are shown to the operator.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/protocol_parameters.hpp"
#include "messages/committee.hpp"
#include "messages/dag.hpp"
#include "messages/validator.hpp"

namespace flamingo::load_monitor {

// -- input

/// The signals of the headers that the next anchor output.
using input = commit_signals;

// -- effects

struct validator_load {
  std::uint64_t transactions = 0;  // in its headers of the window
  std::uint64_t per_second = 0;    // of those; 0 while the window's duration is unknown
  std::optional<std::chrono::microseconds> queue_delay;  // lower median of its self-reports

  friend bool operator==(const validator_load&, const validator_load&) = default;
};

struct window_report {
  round_number first, last;        // rounds of the window, inclusive
  std::size_t headers = 0;         // of the window
  std::optional<duration> length;  // of the window, by its headers' clocks; absent: too few say
  std::vector<validator_load> validators;  // by validator_id
  std::optional<std::chrono::microseconds>
      median_queue_delay;               // lower, over validators that report
  std::uint64_t median_per_second = 0;  // lower, over all validators
};

struct effects {
  std::optional<window_report> report;
};

// -- state

struct parameters {
  std::size_t validators = 0, quorum = 0;  // n, n - f
  std::uint64_t window = 0;                // rounds
  std::uint64_t stability = 0;             // rounds left out at the frontier

  static parameters of(const committee&, const protocol_parameters&);
};

/// What to tell the operator of a balancing rule that this version cannot follow; nothing for one
/// that it can.
std::optional<std::string> refusal(balancing_rule rule);

class core {
public:
  explicit core(const parameters& p) : parameters_(p) {}

  effects step(const input& in);

  std::size_t headers_kept() const { return headers_.size(); }

private:
  std::optional<duration> length(round_number first, round_number last) const;

  parameters parameters_;
  commit_index newest_;
  // Of rounds that a window may still hold: those above the anchor's round - stability - window.
  std::map<dag_position, header_signals> headers_;
};

}  // namespace flamingo::load_monitor
