#include "tests/sim/checkers/agreement.hpp"

#include <algorithm>

namespace flamingo::sim::checkers {

namespace {

bool equal(byte_span a, byte_span b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::string name_of(const commit_record& x) {
  return "anchor " + short_name(x.stream.anchor) + " of round " +
         std::to_string(x.stream.anchor_round.value) + " with " +
         std::to_string(x.stream.batches.size()) + " batches, chain " + short_name(x.stream.chain);
}

/// A log has no gap but before what a checkpoint brought, and every commit's round is above the one
/// before.
void check_chain(validator_id who, const validator_record& log, violations& out) {
  commit_index expected{1};
  round_number last{0};
  for (const auto& [index, record] : log.commits) {
    const auto complain = [&](const std::string& what) {
      out.push_back({"agreement", checkers::name_of(who) + ", commit " +
                                      std::to_string(index.value) + ": " + what});
    };
    if (index != expected && log.joined.contains(index - 1)) expected = index;
    if (index != expected) return complain("commit " + std::to_string(expected.value) + " is gone");
    if (record.stream.index != index) return complain("its record names another index");
    if (record.stream.anchor_round <= last) return complain("its anchor is not above the last one");
    last = record.stream.anchor_round;
    ++expected;
  }
  for (const auto& what : log.rewritten)
    out.push_back({"agreement", checkers::name_of(who) + ": " + what});
}

}  // namespace

violations agreement(const history& run) {
  violations out;
  // For each index, the first honest validator that committed it.
  std::map<commit_index, std::pair<validator_id, const commit_record*>> first;
  for (std::uint16_t i = 0; i < run.of.size(); ++i) {
    if (!run.of[i].honest) continue;
    check_chain(validator_id{i}, run.of[i], out);
    for (const auto& [index, record] : run.of[i].commits) {
      const auto [known, is_new] = first.try_emplace(index, validator_id{i}, &record);
      if (is_new || equal(known->second.second->bytes, record.bytes)) continue;
      out.push_back({"agreement", "commit " + std::to_string(index.value) + " is " +
                                      name_of(*known->second.second) + " at " +
                                      checkers::name_of(known->second.first) + ", but " +
                                      name_of(record) + " at " +
                                      checkers::name_of(validator_id{i})});
      break;  // what follows differs too
    }
  }
  return out;
}

}  // namespace flamingo::sim::checkers
