#include "tests/sim/checkers/liveness.hpp"

#include <algorithm>

namespace flamingo::sim::checkers {

namespace {

/// The most distinct validators that say the same of a bundle.
std::size_t agreeing(const std::vector<receipt_record>& all) {
  std::size_t most = 0;
  for (const auto& x : all) {
    std::set<validator_id> same;
    for (const auto& y : all)
      if (y.what.bundle == x.what.bundle && y.what.index == x.what.index &&
          y.what.results_digest == x.what.results_digest)
        same.insert(y.from);
    most = std::max(most, same.size());
  }
  return most;
}

std::size_t receipts_of(const client_record& told, bundle_sequence sequence) {
  const auto found = told.receipts.find(sequence);
  return found == told.receipts.end() ? 0 : agreeing(found->second);
}

/// Whether it must go on when the last fault is over.
bool is_live(const validator_record& x) {
  return x.honest && !x.dead;
}

std::size_t longest_of(const history& run, const log_lengths& then) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < then.size(); ++i)
    if (run.of[i].honest) longest = std::max(longest, then[i]);
  return longest;
}

/// What an honest validator lacks that goes on, in words; nothing: it does.
using lack = std::optional<std::string>;

lack lacks_commits(const validator_record& x, std::size_t then, std::size_t goal) {
  if (x.end().value >= goal) return std::nullopt;
  return "has committed " + std::to_string(x.end().value) + " sub-DAGs (" + std::to_string(then) +
         " when all was well again), not " + std::to_string(goal);
}

lack lacks_execution(const validator_record& x, std::size_t longest, std::size_t goal) {
  if (x.executed.value < goal)
    return "has executed " + std::to_string(x.executed.value) + " sub-DAGs, not " +
           std::to_string(goal);
  if (x.executed.value + execution_lag_max < x.told.value)
    return "has executed " + std::to_string(x.executed.value) + " of " +
           std::to_string(x.told.value) + " sub-DAGs";
  if (x.receipted.value > longest) return std::nullopt;
  return "gave its last receipt for commit " + std::to_string(x.receipted.value) +
         ", and none after " + std::to_string(longest);
}

}  // namespace

log_lengths lengths(const history& run) {
  log_lengths out;
  for (const auto& x : run.of) out.push_back(x.end().value);
  return out;
}

bool commits_go_on(const history& run, const log_lengths& then, std::uint64_t commits) {
  const auto goal = longest_of(run, then) + commits;
  return std::all_of(run.of.begin(), run.of.end(),
                     [&](const auto& x) { return !is_live(x) || x.end().value >= goal; });
}

bool executes_on(const history& run, const log_lengths& then, std::uint64_t commits) {
  const auto longest = longest_of(run, then);
  return std::all_of(run.of.begin(), run.of.end(), [&](const auto& x) {
    return !is_live(x) || !lacks_execution(x, longest, longest + commits);
  });
}

bool all_answered(const history& run) {
  for (const auto& [client, told] : run.clients)
    for (const auto& [sequence, when] : told.offered)
      if (receipts_of(told, sequence) < run.validity()) return false;
  return true;
}

violations liveness(const history& run, const log_lengths& then, std::uint64_t commits) {
  violations out;
  const auto longest = longest_of(run, then);
  const auto goal = longest + commits;
  for (std::uint16_t i = 0; i < run.of.size(); ++i) {
    if (!is_live(run.of[i])) continue;
    auto lacking = lacks_commits(run.of[i], then[i], goal);
    if (!lacking) lacking = lacks_execution(run.of[i], longest, goal);
    if (lacking) out.push_back({"liveness", name_of(validator_id{i}) + " " + *lacking});
  }
  for (const auto& [client, told] : run.clients) {
    std::size_t unanswered = 0;
    bundle_sequence first;
    for (const auto& [sequence, when] : told.offered)
      if (receipts_of(told, sequence) < run.validity() && unanswered++ == 0) first = sequence;
    if (unanswered == 0) continue;
    out.push_back({"liveness", name_of(client) + " waits for receipts of " +
                                   std::to_string(unanswered) + " bundles, the first of them " +
                                   std::to_string(first.value) + " with " +
                                   std::to_string(receipts_of(told, first)) + " receipts"});
  }
  return out;
}

}  // namespace flamingo::sim::checkers
