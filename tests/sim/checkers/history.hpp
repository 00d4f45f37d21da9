// The facts of a run that checkers judge, as plain values: what the validators made durable, what
// was said on the links, what clients were told. tests/sim/recorder.hpp gathers them; the tests of
// the checkers make them up.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "actors/protocol_parameters.hpp"
#include "messages/client.hpp"
#include "messages/dag.hpp"
#include "messages/execution.hpp"
#include "messages/time.hpp"

namespace flamingo::sim::checkers {

/// A commit as a validator's store has it.
struct commit_record {
  sequenced_sub_dag stream;
  shared_bytes bytes;  // of the record, but for the group of executors
};

/// A bundle as a batch carries it.
struct bundle_record {
  bundle_head head;
  std::vector<byte> operations;  // packed (messages/execution.hpp)
};

struct validator_record {
  bool honest = true;
  bool dead = false;                              // it is down, and will never be back
  std::map<commit_index, commit_record> commits;  // of all its lives
  std::set<commit_index> joined;  // it came back from a checkpoint at these: the log goes on behind
  std::vector<digest> certified;  // as its store got them, each once
  std::map<commit_index, digest> tables;       // assignment table after each commit
  std::map<commit_index, digest> state_roots;  // as it told operators
  commit_index told, executed;  // its newest commit, and what all its executors had executed, as it
                                // told operators last
  commit_index receipted;       // the newest commit of which it gave a client a receipt
  /// Broken promises that were seen while it ran, in words.
  std::vector<std::string> rewritten;

  /// The newest commit in its log.
  commit_index end() const { return commits.empty() ? commit_index{} : commits.rbegin()->first; }
};

/// What validators told one client of one sequence, over all links.
struct receipt_record {
  validator_id from;
  receipt what;
};

struct client_record {
  std::map<bundle_sequence, std::vector<receipt_record>> receipts;  // the first of each validator
  std::map<bundle_sequence, time_point> offered;                    // first sent at
  std::map<bundle_sequence, digest> admitted;  // by an honest validator: the bundle that it took
};

struct history {
  std::size_t validators = 0, faulty = 0;  // n, f
  protocol_parameters protocol;
  std::vector<validator_record> of;              // by validator_id
  std::map<digest, certified_header> certified;  // by header: what honest validators stored
  std::map<digest, std::vector<bundle_record>> batches;
  std::map<client_id, client_record> clients;

  std::size_t validity() const { return faulty + 1; }

  /// The honest validator with the longest log.
  const validator_record& longest() const {
    const validator_record* best = nullptr;
    for (const auto& x : of)
      if (x.honest && (!best || best->commits.size() < x.commits.size())) best = &x;
    return *best;
  }
};

inline std::string name_of(validator_id v) {
  return "v" + std::to_string(v.value);
}
inline std::string name_of(client_id c) {
  return "c" + std::to_string(c.value);
}
/// The first four bytes, as traces write it.
inline std::string short_name(const digest& x) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < 4; ++i) {
    out += digits[x.bytes[i] >> 4];
    out += digits[x.bytes[i] & 15];
  }
  return out;
}

}  // namespace flamingo::sim::checkers
